// Bundles the server into `dist/server`: the sources and the libraries that its start loads, in a few files instead of 700; and the
// programs that it starts as processes and threads of their own, each by itself, for they run on little memory and read little. Names and comments are kept, so a stack trace can be read. See docs/decisions/006-the-server-starts-from-a-bundle.md.
import { dirname, join, relative } from 'node:path'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { makeTalkPage } from './talk-page.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const sources = [join(root, 'server'), join(root, 'packages')]
const isSource = (id) => sources.some((folder) => id.startsWith(folder))
const dir = join(root, 'dist/server')

/** All that the start needs of them is loaded each time; every other library is loaded when it is first used, from its package. */
const bundled = ['@hono/node-server', '@modelcontextprotocol/server', 'hono', 'kysely', 'pino', 'zod']
const isBundled = (id) => id.startsWith('@rostrum/') || bundled.some((name) => id === name || id.startsWith(`${name}/`))

/** Sources that are started by their address, as found while the server is bundled: below `node_modules` nothing else can run. */
const programs = new Set()

/** Files beside a source are found from where that source lies, not from the bundle; a program beside it is one of the bundle. */
const sourceAddresses = {
  name: 'source-addresses',
  transform(code, id) {
    if (!isSource(id) || !code.includes('import.meta.url')) return null
    return code.replaceAll(/new URL\('([\w-]+)\.ts', import\.meta\.url\)|import\.meta\.url/g, (_, name) => {
      if (name === undefined) return `new URL(${JSON.stringify(relative(dir, id))}, import.meta.url)`
      programs.add(join(dirname(id), `${name}.ts`))
      return `new URL('${name}.mjs', import.meta.url)`
    })
  },
}

/**
 * An import of a built-in module reads every member it has, and the last ones of `node:http` load Node's own client of HTTP: a tenth of
 * the start. This function gives the module as it is.
 */
const builtins = {
  name: 'builtins',
  renderChunk: (code) =>
    code.replaceAll(/^import (?:(\w+),? )?(?:\{ (.+) \} )?from "(node:[\w/]+)";$/gm, (_, whole, members, id) =>
      [whole, members && `{ ${members.replaceAll(' as ', ': ')} }`]
        .filter(Boolean)
        .map((names) => `const ${names} = globalThis.process.getBuiltinModule("${id}");`)
        .join(' '),
    ),
}

/** Small files that every start reads are one: a file costs more than what is in it. */
const ground = { groups: [{ name: 'ground', test: /packages[\\/](?:base|contract)[\\/]/ }] }

async function write(input, codeSplitting) {
  const bundle = await rolldown({
    input,
    platform: 'node',
    external: (id, importer) =>
      id.startsWith('node:') || (!/^[./]/.test(id) && !isBundled(id) && importer !== undefined && isSource(importer)),
    // A library of which nothing is used here is not loaded for what its own start does.
    treeshake: { moduleSideEffects: 'no-external' },
    plugins: [sourceAddresses, builtins],
    logLevel: 'warn',
  })
  await bundle.write({
    dir,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    ...(codeSplitting && { codeSplitting }),
  })
  await bundle.close()
}

rmSync(dir, { recursive: true, force: true })
await write(join(root, 'server/main.ts'), ground)
for (const program of programs) await write(program)

await makeTalkPage()
