/** How long a test waits for what a real process, browser or database does in its own time. Nothing is measured by it: it ends what hangs. */
export const patienceMs = 120_000
