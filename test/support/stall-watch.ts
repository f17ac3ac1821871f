// Loaded into a server under test (`--import`): tells the longest turn of its event loop. What counts is the processor time that the
// thread spent between two looks, not the time that passed: others of a busy machine are not its fault.
import { createServer } from 'node:net'
import { isMainThread } from 'node:worker_threads'

const socket = process.env['STALL_SOCKET']

if (isMainThread && socket !== undefined && process.argv.includes('serve')) {
  let longest = 0
  const spent = () => process.threadCpuUsage()
  let since = spent()
  const look = () => {
    const now = spent()
    longest = Math.max(longest, now.user - since.user + now.system - since.system)
    since = now
  }
  setInterval(look, 1).unref()
  // Tells whoever connects, and begins anew.
  createServer((asker) => {
    asker.end(String(longest / 1_000))
    longest = 0
  })
    .listen(socket)
    .unref()
}
