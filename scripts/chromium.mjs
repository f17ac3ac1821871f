// Where a Chromium is on this machine: the browser suites drive it, and set-up installs one where it may.
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const places = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium']

/** The path of the executable, or undefined. `ROSTRUM_TEST_CHROMIUM` names one. */
export function findChromium() {
  const named = process.env.ROSTRUM_TEST_CHROMIUM
  const folders = (process.env.PATH ?? '').split(delimiter)
  const candidates = [...(named ? [named] : []), ...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...places]
  return candidates.find(isExecutable)
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
