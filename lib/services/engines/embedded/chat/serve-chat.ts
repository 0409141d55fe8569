/** Serves one chat model in a child process, which Node runs unbundled. */
import type { ChatEvent, ChatRequest } from '../../engine.ts'
import { endWithParent, failureOf } from '../task-child.ts'
import {
  type ChatCommand,
  type ChatReport,
  type ModelOptions,
  Outbox,
  type UsedProcessor,
  WINDOW_EVENTS,
} from './chat-protocol.ts'

export type Emit = (event: ChatEvent) => Promise<void>

type Runtime<Model> = {
  /** @throws Error when the file is no model. */
  load: (options: ModelOptions, onProgress: (fraction: number) => void) => Promise<Model>
  /** @throws EngineError; the signal's reason when aborted. */
  generate: (model: Model, request: ChatRequest, emit: Emit, signal: AbortSignal) => Promise<void>
}

type Running = { outbox: Outbox; abort: AbortController }

export function serveChat<Model extends { processor: UsedProcessor }>({ load, generate }: Runtime<Model>): void {
  const work = new Map<number, Running>()
  let model: Model | undefined

  endWithParent()
  process.on('message', (command: ChatCommand) => {
    if (command.type === 'load') void start(command.options)
    else if (command.type === 'generate') void run(command.id, command.request)
    else if (command.type === 'credit') work.get(command.id)?.outbox.addCredit(command.count)
    else cancel(command.id)
  })

  async function start(options: ModelOptions): Promise<void> {
    try {
      model = await load(options, (fraction) => report({ type: 'loading', fraction }))
      report({ type: 'loaded', residentBytes: process.memoryUsage.rss(), processor: model.processor })
    } catch (error) {
      report({ type: 'failed', ...failureOf(error, 'The model could not be loaded.') })
    }
  }

  async function run(id: number, request: ChatRequest): Promise<void> {
    const outbox = new Outbox(WINDOW_EVENTS, (events, count) => report({ type: 'events', id, events, count }))
    const abort = new AbortController()
    work.set(id, { outbox, abort })
    try {
      if (!model) throw new Error('no model is loaded')
      await generate(model, request, (event) => outbox.push(event), abort.signal)
      outbox.flush()
      report({ type: 'end', id })
    } catch (error) {
      outbox.flush()
      if (abort.signal.aborted) report({ type: 'end', id })
      else report({ type: 'failed', id, ...failureOf(error, 'The model could not go on with this answer.') })
    } finally {
      work.delete(id)
    }
  }

  function cancel(id: number): void {
    const running = work.get(id)
    running?.abort.abort()
    running?.outbox.close()
  }
}

function report(message: ChatReport): void {
  if (process.connected) process.send?.(message)
}
