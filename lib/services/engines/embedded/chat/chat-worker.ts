/**
 * Entry of the child process that holds one chat model. Node runs it as it stands: only packages, types and `./x.ts`
 * may be imported. It ends with its parent.
 */
import { type ChatRequest, EngineError } from '../../engine.ts'
import { generate } from './chat-generate.ts'
import { type ChatModel, loadChatModel } from './chat-model.ts'
import { type ChatCommand, type ChatReport, type ModelOptions, Outbox, WINDOW_EVENTS } from './chat-protocol.ts'

type Work = { outbox: Outbox; abort: AbortController }

let chat: ChatModel | undefined
const work = new Map<number, Work>()

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
process.on('disconnect', () => process.exit(0))
// The parent may have gone while the imports were read: then nobody hears of it any more.
if (!process.connected) process.exit(0)
process.on('message', (command: ChatCommand) => {
  if (command.type === 'load') void load(command.options)
  else if (command.type === 'generate') void run(command.id, command.request)
  else if (command.type === 'credit') work.get(command.id)?.outbox.addCredit(command.count)
  else cancel(command.id)
})

async function load(options: ModelOptions): Promise<void> {
  try {
    chat = await loadChatModel(options, (fraction) => report({ type: 'loading', fraction }))
    report({ type: 'loaded', residentBytes: process.memoryUsage.rss() })
  } catch (error) {
    report({ type: 'failed', reason: 'failed', message: 'The model could not be loaded.', detail: messageOf(error) })
  }
}

async function run(id: number, request: ChatRequest): Promise<void> {
  const outbox = new Outbox(WINDOW_EVENTS, (events, count) => report({ type: 'events', id, events, count }))
  const abort = new AbortController()
  work.set(id, { outbox, abort })
  try {
    if (!chat) throw new Error('no model is loaded')
    await generate(chat, request, (event) => outbox.push(event), abort.signal)
    outbox.flush()
    report({ type: 'end', id })
  } catch (error) {
    outbox.flush()
    report(abort.signal.aborted ? { type: 'end', id } : failureOf(id, error))
  } finally {
    work.delete(id)
  }
}

function cancel(id: number): void {
  const running = work.get(id)
  running?.abort.abort()
  running?.outbox.close()
}

function failureOf(id: number, error: unknown): ChatReport {
  if (!(error instanceof EngineError)) {
    const message = 'The model could not go on with this answer.'
    return { type: 'failed', id, reason: 'failed', message, detail: messageOf(error) }
  }
  const detail = error.cause === undefined ? {} : { detail: messageOf(error.cause) }
  return { type: 'failed', id, reason: error.reason, message: error.message, ...detail }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function report(message: ChatReport): void {
  if (process.connected) process.send?.(message)
}
