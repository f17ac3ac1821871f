// nginx with the nchan module as a peer: one worker, the same number of attendees, the same events published over HTTP.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../../test/support/server.ts'
import { cpuMicros } from '../load.ts'
import { end, gather } from './attendees.ts'
import type { Said } from './heard.ts'
import type { Round } from './talk.ts'

const module = '/usr/lib/nginx/modules/ngx_nchan_module.so'

/** Null where nginx or its module is not installed, or does not start. */
export async function startNchan(sink: string, folder: string, count: number) {
  const nginx = which('nginx')
  if (nginx === null || !existsSync(module)) return null
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')
  writeFileSync(
    file,
    `load_module ${module}; ${user} daemon off; worker_processes 1; worker_rlimit_nofile 20000; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
events { worker_connections 19900; }
http { access_log off; ${temporary} server { listen 127.0.0.1:${port} backlog=4096;
  location = /pub { nchan_publisher; nchan_channel_id room; nchan_message_buffer_length 1; }
  location = /sub { nchan_subscriber eventsource; nchan_channel_id room; nchan_subscriber_first_message newest; } } }`,
  )
  const child = spawn(nginx, ['-c', file, '-p', folder], { stdio: 'ignore' })
  const publish = (body: string) => fetch(`http://127.0.0.1:${port}/pub`, { method: 'POST', body }).then((response) => response.text())
  let isUp = false
  for (let tries = 0; tries < 50 && !isUp; tries++) {
    await setTimeout(50)
    isUp = await fetch(`http://127.0.0.1:${port}/pub`).then(
      () => true,
      () => false,
    )
  }
  if (!isUp) {
    await end(child)
    return null
  }
  const requests = join(folder, 'nchan-request')
  writeFileSync(requests, 'GET /sub HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n')
  const attendees = gather(sink, port, requests)
  await attendees.enter(count)
  const worker = Number(
    readFileSync(`/proc/${child.pid ?? 0}/task/${child.pid ?? 0}/children`, 'utf8')
      .trim()
      .split(' ')[0],
  )
  return {
    async round(said: readonly Said[]): Promise<Round> {
      await attendees.silence()
      const began = cpuMicros(worker)
      const start = Date.now()
      for (const [n, { afterMs, bytes }] of said.entries()) {
        const at = start + afterMs
        await setTimeout(Math.max(0, at - Date.now()))
        const head = `{"seq":${n},"at":${at},"text":"`
        await publish(`${head}${'x'.repeat(Math.max(0, bytes - head.length - 40))}"}`)
      }
      const seen = await attendees.silence()
      return { cpuUs: (cpuMicros(worker) - began) / count, p99Ms: seen.p99 }
    },
    async close() {
      await end(child)
      await attendees.close()
    },
  }
}

function which(program: string): string | null {
  try {
    return execFileSync('sh', ['-c', `command -v ${program}`], {
      encoding: 'utf8',
      env: { PATH: `${process.env['PATH']}:/usr/sbin` },
    }).trim()
  } catch {
    return null
  }
}
