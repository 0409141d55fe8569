import path from 'node:path'
import type { ModelType } from '@/lib/contract/models'
import { config } from '@/lib/kernel/config'
import { closeEngines } from '@/lib/services/engines/registry'
import { catalogue, loadCatalogue, unloadCatalogue } from '@/lib/services/models/catalogue'
import type { Model } from '@/lib/services/models/model'
import { answer, type Command, CommandError, type Values } from '@/server/admin/command'
import { callModel, type Outcome } from '@/server/admin/model-calls'

const CALL_TIMEOUT_MS = 600_000

type Called = {
  engine: string
  type: ModelType
  model: string
  isWorking: boolean
  outcome?: Outcome
  ms: number
  error?: string
}

async function check(_: Values, [file]: string[]) {
  if (file !== undefined) readFrom(path.resolve(file))
  try {
    await loadCatalogue()
    const models = catalogue().list('all', Date.now())
    const called: Called[] = []
    for (const model of oneOfEachKind(models)) called.push(await call(model))
    const failed = called.filter(({ isWorking }) => !isWorking)
    const lines = [`${models.length} models in ${config().modelsFile ?? 'this installation'}.`, ...called.map(line)]
    return answer(lines, { models: models.map(({ id }) => id), engines: called }, failed.length === 0 ? 0 : 1)
  } finally {
    unloadCatalogue()
    await closeEngines()
  }
}

function readFrom(file: string): void {
  process.env.MODELS_FILE = file
  if (config().modelsFile !== file) throw new CommandError(`MODELS_FILE is ${config().modelsFile} in this process.`)
}

function oneOfEachKind(models: Model[]): Model[] {
  const callable = models.filter(({ isOffline }) => !isOffline)
  return [...new Map(callable.toReversed().map((model) => [`${model.engine} ${model.type}`, model])).values()].reverse()
}

async function call(model: Model): Promise<Called> {
  const startedAt = performance.now()
  const about = { engine: model.engine, type: model.type, model: model.id }
  const ms = () => Math.round(performance.now() - startedAt)
  try {
    const outcome = await callModel(model, AbortSignal.timeout(CALL_TIMEOUT_MS))
    return { ...about, isWorking: true, outcome, ms: ms() }
  } catch (error) {
    return { ...about, isWorking: false, ms: ms(), error: error instanceof Error ? error.message : String(error) }
  }
}

function line({ engine, type, model, outcome, ms, error }: Called): string {
  const where = `(${type}, ${model})`
  if (outcome === 'answered') return `${engine}: answered in ${ms} ms ${where}`
  if (outcome === 'reached') return `${engine}: reached in ${ms} ms ${where}; no paid work was started`
  return `${engine}: failed after ${ms} ms ${where}: ${error}`
}

export const modelsCheckCommand: Command = {
  name: 'models check',
  usage: 'models check [FILE]',
  summary: 'validates a models file and calls each engine once per kind of work',
  options: {},
  needsDatabase: false,
  run: check,
}
