import path from 'node:path'
import { config } from '@/lib/core/config'
import { chatEngine, closeEngines } from '@/lib/engines/registry'
import { catalogue, loadCatalogue, unloadCatalogue } from '@/lib/models/catalogue'
import type { Model } from '@/lib/models/model'
import { answer, type Command, CommandError, type Values } from '@/scripts/admin/command'

/** The embedded engine may have to fetch its weights first. */
const CALL_TIMEOUT_MS = 600_000
const QUESTION = 'Answer with one word: are you there?'
const MAX_ANSWER_TOKENS = 16

type Called = { engine: string; model: string; isWorking: boolean; ms: number; error?: string }

async function check(_: Values, [file]: string[]) {
  if (file !== undefined) readFrom(path.resolve(file))
  try {
    await loadCatalogue()
    const models = catalogue().list('all', Date.now())
    const called: Called[] = []
    for (const model of oneOfEachEngine(models)) called.push(await call(model))
    const failed = called.filter(({ isWorking }) => !isWorking)
    const lines = [`${models.length} models in ${config().modelsFile ?? 'this installation'}.`, ...called.map(line)]
    return answer(lines, { models: models.map(({ id }) => id), engines: called }, failed.length === 0 ? 0 : 1)
  } finally {
    unloadCatalogue()
    await closeEngines()
  }
}

/** The catalogue knows only the configured file, and the configuration is parsed once. */
function readFrom(file: string): void {
  process.env.MODELS_FILE = file
  if (config().modelsFile !== file) throw new CommandError(`MODELS_FILE is ${config().modelsFile} in this process.`)
}

/** The engines of other kinds of models have nothing yet that could be called. */
function oneOfEachEngine(models: Model[]): Model[] {
  const callable = models.filter(({ type, isOffline }) => type === 'text' && !isOffline)
  return [...new Map(callable.map((model) => [model.engine, model])).values()]
}

async function call(model: Model): Promise<Called> {
  const startedAt = performance.now()
  const result = (error?: string): Called => {
    const ms = Math.round(performance.now() - startedAt)
    return { engine: model.engine, model: model.id, isWorking: error === undefined, ms, error }
  }
  const request = {
    model: model.upstreamModel,
    messages: [{ role: 'user' as const, content: QUESTION }],
    sampling: {},
    n: 1,
    maxTokens: MAX_ANSWER_TOKENS,
    stop: [],
    extra: {},
  }
  try {
    const events = chatEngine(model.engine).stream(request, AbortSignal.timeout(CALL_TIMEOUT_MS))
    for await (const event of events) if (event.type === 'choice-end') return result()
    return result('the answer had no end')
  } catch (error) {
    return result(error instanceof Error ? error.message : String(error))
  }
}

const line = ({ engine, model, isWorking, ms, error }: Called) =>
  isWorking ? `${engine}: answered in ${ms} ms (${model})` : `${engine}: failed after ${ms} ms (${model}): ${error}`

export const modelsCheckCommand: Command = {
  name: 'models check',
  usage: 'models check [FILE]',
  summary: 'validates a models file and calls each engine once',
  options: {},
  needsDatabase: false,
  run: check,
}
