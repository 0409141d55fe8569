import { type ChildProcess, spawn } from 'node:child_process'

const STOP_TIMEOUT_MS = 5_000

/**
 * Ends a server when this process ends. What it returns ends it now. Neither keeps this process from ending.
 * @param signal ends the server in order; it is killed when it has not ended in time.
 * @param onExit is the shell command for the case that this process ends first; `args` are its `$1` and following.
 */
export function guardServer(
  server: ChildProcess,
  signal: NodeJS.Signals,
  onExit: string,
  ...args: string[]
): () => Promise<void> {
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()))
  // It waits on a pipe whose other end is ours: the kernel closes that however we end, after `kill -9` too. Windows ends
  // children with their parent by itself.
  const watch =
    process.platform === 'win32'
      ? undefined
      : spawn('sh', ['-c', `read -r _; ${onExit}`, 'sh', ...args], {
          stdio: ['pipe', 'ignore', 'ignore'],
          detached: true,
          cwd: '/',
        })
  for (const handle of [server, server.stderr, watch, watch?.stdin])
    (handle as { unref?: () => void } | null)?.unref?.()
  return async () => {
    if (server.exitCode === null && server.signalCode === null && server.pid !== undefined) {
      server.kill(signal)
      const timer = setTimeout(() => server.kill('SIGKILL'), STOP_TIMEOUT_MS)
      await ended
      clearTimeout(timer)
    }
    watch?.kill('SIGKILL')
  }
}
