// NATS for a cluster: the real server where the machine has it (Debian: nats-server), else the few lines of ours; either can be cut off.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import { startNats } from './nats-server.ts'
import { freePort } from './server.ts'

export interface Nats {
  url: string
  isReal: boolean
  /** Killed, and started again; or every connection cut. */
  restart(): Promise<void>
  close(): Promise<void>
}

export async function openNats(): Promise<Nats> {
  if (spawnSync('nats-server', ['--version']).status !== 0) {
    const nats = await startNats()
    return { url: nats.url, isReal: false, restart: async () => nats.cut(), close: () => nats.close() }
  }
  const port = await freePort()
  let child: ChildProcess
  const answers = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
  const start = async () => {
    child = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
    while (!(await answers())) await new Promise((resolve) => void setTimeout(resolve, 20))
  }
  const end = async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }
  await start()
  return {
    url: `nats://127.0.0.1:${port}`,
    isReal: true,
    async restart() {
      await end()
      await start()
    },
    close: end,
  }
}
