import { embeddedChatEngine } from '@/lib/services/engines/registry'

const STEPS = {
  waiting: 'waits for another process that fetches it',
  downloading: 'is being fetched',
  preparing: 'is being unpacked',
  loading: 'is being loaded',
} as const
const REDRAW_MS = 250

/**
 * Fetches and loads the embedded model ahead of the first question and prints progress, while the server answers
 * already.
 */
export async function prepareEmbeddedModel(): Promise<void> {
  const engine = embeddedChatEngine()
  if (!engine) return
  const show = progressLine(process.stdout)
  try {
    await engine.load(({ step, fraction }) => show(`The model ${STEPS[step]}`, fraction))
    show.end('The model is ready: ask away.')
  } catch (error) {
    show.end(
      `The model could not be loaded: ${error instanceof Error ? error.message : error} The next question tries again.`,
    )
  }
}

function progressLine(out: NodeJS.WriteStream) {
  let drawnAt = 0
  let last = ''
  const show = (text: string, fraction: number) => {
    const percent = Math.floor(fraction * 100)
    const line = out.isTTY ? `${text} (${percent} %)` : `${text} (${Math.floor(percent / 25) * 25} %)`
    if (line === last || (out.isTTY && performance.now() - drawnAt < REDRAW_MS)) return
    drawnAt = performance.now()
    last = line
    out.write(out.isTTY ? `\r\u001b[2K  ${line}` : `  ${line}\n`)
  }
  const end = (text: string) => out.write(`${out.isTTY ? '\r\u001b[2K' : ''}  ${text}\n\n`)
  return Object.assign(show, { end })
}
