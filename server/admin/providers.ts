import { text } from 'node:stream/consumers'
import {
  type ConnectedModel,
  type ConnectedProvider,
  DEFAULT_MARGIN_PERCENT,
  MAX_GENERATED_SECONDS,
  MAX_MARGIN_PERCENT,
  MAX_PROVIDER_KEY_CHARS,
  type OfferedModel,
  PRICES_OF_TYPE,
  PROVIDER_MODEL_TYPES,
  type ProviderModelType,
  type ProviderPrices,
  readVideoSeconds,
  withMargin,
} from '@/lib/contract/providers'
import { connectProvider, listProviders, removeProvider } from '@/lib/services/models/providers/connect'
import { listModels, targetOf } from '@/lib/services/models/providers/list-models'
import { PRESETS, presetOf } from '@/lib/services/models/providers/presets'
import { ProbeError } from '@/lib/services/models/providers/probe-http'
import { tryModel } from '@/lib/services/models/providers/try-model'
import { answer, type Command, CommandError, optionText, table, UsageError, type Values } from '@/server/admin/command'

const MAX_CONNECTED_UNNAMED = 20
const MAX_LISTED = 40

async function list() {
  const providers = await listProviders()
  const header = ['NAME', 'ADDRESS', 'KEY', 'MODELS', 'STATE']
  const rows = providers.map((provider) => [
    provider.name,
    provider.address,
    provider.keyLast4 === null ? '-' : `…${provider.keyLast4}`,
    String(provider.models.length),
    stateOf(provider),
  ])
  return answer(providers.length === 0 ? ['No providers are connected.'] : table([header, ...rows]), { providers })
}

async function add(values: Values, [where]: string[], key?: string) {
  if (where === undefined)
    throw new UsageError(`PRESET or URL is missing. Presets: ${PRESETS.map(({ id }) => id).join(', ')}.`)
  const preset = presetOf(where)?.id
  const marginPercent = marginOf(optionText(values, 'margin'))
  const unlisted = unlistedType(optionText(values, 'unlisted'))
  const asked = targetOf({ preset, address: preset ? undefined : where, key })
  const { target, models } = await listModels(asked).catch((error: unknown) => {
    // An API may have no list of its models.
    if (unlisted && error instanceof ProbeError && error.fault === 'not-an-api') return { target: asked, models: [] }
    throw error
  })
  const chosen = chosenOf(models, optionText(values, 'models'), unlisted)
  const prices = pricesOf(values)
  const seconds = secondsOf(optionText(values, 'lengths'))
  const priced = chosen.map((model) => ({
    ...model,
    ...(model.type === 'video' && { video: { ...model.video, ...(seconds && { seconds }) } }),
    prices: priceOf(model, prices, marginPercent),
  }))
  const [first] = priced
  if (first && values['no-try'] !== true) await tryModel(target, first.upstreamModel, first.type)
  const provider = await connectProvider({
    name: optionText(values, 'name'),
    preset: target.preset?.id,
    address: target.address,
    key,
    models: priced,
    marginPercent,
    acceptsTestCredit: values['accepts-test-credit'] === true ? true : undefined,
  })
  const lines = [`${provider.name} is connected. These models are available now:`, ...provider.models.map(modelLine)]
  if (provider.refusesTestCredit) {
    lines.push('Guests and test wallets cannot use them; to allow them at your cost, add --accepts-test-credit.')
  }
  return answer(lines, { provider })
}

async function remove(_: Values, [name]: string[]) {
  if (name === undefined) throw new UsageError('NAME is missing; `admin providers list` lists them.')
  await removeProvider(name)
  return answer([`${name} is removed, and its key deleted.`], { name, removed: true })
}

function unlistedType(given: string | undefined): ProviderModelType | undefined {
  const type = PROVIDER_MODEL_TYPES.find((one) => one === given)
  if (given === undefined || type) return type
  throw new UsageError(`--unlisted: ${given}: one of ${PROVIDER_MODEL_TYPES.join(', ')}.`)
}

function chosenOf(
  models: OfferedModel[],
  given: string | undefined,
  unlisted: ProviderModelType | undefined,
): OfferedModel[] {
  const names = models.map(({ upstreamModel }) => upstreamModel)
  const shown = `${names.slice(0, MAX_LISTED).join(', ')}${names.length > MAX_LISTED ? `, and ${names.length - MAX_LISTED} more` : ''}`
  if (unlisted && given === undefined) throw new UsageError('--unlisted: name the models with --models a,b.')
  if (models.length === 0 && !unlisted) {
    throw new CommandError('The server lists no models that can be connected. Name some with --models and --unlisted.')
  }
  if (given === undefined) {
    if (models.length <= MAX_CONNECTED_UNNAMED) return models
    throw new UsageError(`The server has ${models.length} models; name some with --models a,b. They are: ${shown}`)
  }
  const byName = new Map(models.map((model) => [model.upstreamModel, model]))
  return [...new Set(given.split(',').map((name) => name.trim()))].map((name) => {
    const model = byName.get(name)
    if (model) return model
    if (unlisted) return { upstreamModel: name, type: unlisted }
    throw new CommandError(`The server has no model ${name}. It has: ${shown}`)
  })
}

type GivenPrices = { isFree: boolean; prices: ProviderPrices }

function pricesOf(values: Values): GivenPrices {
  const dollars = (name: string) => {
    const given = optionText(values, name)
    if (given === undefined) return undefined
    if (/^\d{1,7}(\.\d{1,6})?$/.test(given)) return Number(given)
    throw new UsageError(`--${name}: ${given}: not an amount of dollars such as 0.50.`)
  }
  const given = [...new Set(Object.values(PRICES_OF_TYPE).flat())].flatMap((name) => {
    const amount = dollars(name)
    return amount === undefined ? [] : [[name, amount] as const]
  })
  return { isFree: values.free === true, prices: Object.fromEntries(given) }
}

/** What the command line says, else the provider's own prices with the margin. */
function priceOf(model: OfferedModel, given: GivenPrices, marginPercent: number): ProviderPrices | null {
  if (given.isFree) return null
  const named = PRICES_OF_TYPE[model.type].map((name) => [name, given.prices[name]] as const)
  if (named.every(([, dollars]) => dollars !== undefined)) return Object.fromEntries(named)
  const proposed = withMargin(model.cost, marginPercent)
  if (proposed !== undefined) return proposed
  const options = PRICES_OF_TYPE[model.type].map((name) => `--${name} USD`).join(' ')
  throw new UsageError(
    `The provider does not tell the price of ${model.upstreamModel}. Set ${options}, or --free to offer it without charge.`,
  )
}

function secondsOf(given: string | undefined): number[] | undefined {
  const seconds = given === undefined ? undefined : readVideoSeconds(given)
  if (given === undefined || seconds) return seconds
  throw new UsageError(`--lengths: ${given}: whole seconds from 1 to ${MAX_GENERATED_SECONDS}, such as 4,8.`)
}

function marginOf(given: string | undefined): number {
  const margin = given === undefined ? DEFAULT_MARGIN_PERCENT : Number(given)
  if (margin >= 0 && margin <= MAX_MARGIN_PERCENT) return margin
  throw new UsageError(`--margin: a percentage from 0 to ${MAX_MARGIN_PERCENT}.`)
}

/** From the variable that is named, else from standard input, where the vendor needs a key or one is announced. */
async function readKey(values: Values, [where = '']: string[]): Promise<string | undefined> {
  const variable = optionText(values, 'key-env')
  if (variable !== undefined) {
    const key = process.env[variable]?.trim()
    if (key) return key
    throw new UsageError(`--key-env: the variable ${variable} is not set.`)
  }
  if (values.key !== true && presetOf(where)?.key !== 'required') return undefined
  if (process.stdin.isTTY) process.stderr.write('Paste the key, then press Enter and Ctrl+D:\n')
  const key = (await text(process.stdin)).trim()
  if (key === '' || key.length > MAX_PROVIDER_KEY_CHARS)
    throw new UsageError('The key is missing: name its variable with --key-env, or send it to standard input.')
  return key
}

function stateOf({ isBroken, isPaused, models }: ConnectedProvider): string {
  if (isBroken) return 'cannot be read; connect it again'
  if (isPaused) return 'paused'
  const taken = models.filter(({ state }) => state === 'taken').length
  return taken === 0 ? 'live' : `live, but ${taken} ids are taken`
}

function modelLine({ id, type, prices }: ConnectedModel): string {
  if (prices === null) return `  ${id}: free`
  const { input, output, image, second } = prices
  if (second !== undefined) return `  ${id}: ${second} USD a second of ${type === 'video' ? 'video' : 'audio'}`
  if (type === 'tts') return `  ${id}: ${input} USD per million characters`
  if (image !== undefined) return `  ${id}: ${image} USD an image`
  return `  ${id}: ${[input, output].filter((price) => price !== undefined).join(' / ')} USD per million tokens`
}

export const providerCommands: Command[] = [
  {
    name: 'providers list',
    usage: 'providers list',
    summary: 'lists connected providers with their models and prices',
    needsDatabase: true,
    run: list,
  },
  {
    name: 'providers add',
    usage:
      'providers add PRESET|URL [--key-env NAME | [--key] < FILE] [--name NAME] [--models a,b [--unlisted TYPE]] [--margin PERCENT] [--input USD --output USD | --image USD | --second USD [--lengths 4,8] | --free] [--accepts-test-credit] [--no-try]',
    summary: 'connects a model server and offers its models; the key comes from a variable or standard input',
    options: {
      'key-env': { type: 'string' },
      key: { type: 'boolean' },
      name: { type: 'string' },
      models: { type: 'string' },
      unlisted: { type: 'string' },
      margin: { type: 'string' },
      input: { type: 'string' },
      output: { type: 'string' },
      image: { type: 'string' },
      second: { type: 'string' },
      lengths: { type: 'string' },
      free: { type: 'boolean' },
      'accepts-test-credit': { type: 'boolean' },
      'no-try': { type: 'boolean' },
    },
    needsDatabase: true,
    readSecret: readKey,
    run: add,
  },
  {
    name: 'providers remove',
    usage: 'providers remove NAME',
    summary: 'removes a provider, its models and its key',
    needsDatabase: true,
    run: remove,
  },
]
