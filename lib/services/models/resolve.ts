import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import type { ModelType } from '@/lib/contract/models'
import { type Caller, isWallet, type RequestContext } from '@/lib/kernel/request-context'
import { catalogue } from '@/lib/services/models/catalogue'
import { isRetired, servingModel, warningOf } from '@/lib/services/models/deprecation'
import type { Model } from '@/lib/services/models/model'

const MAX_SHOWN_CHARACTERS = 64

export type ResolveOptions = {
  type: ModelType
  caller?: Caller
  region?: string
  context?: Pick<RequestContext, 'facts'>
  now?: number
}

/**
 * A model name without suffix → the model that serves it: by its id, else as a trait, else as a foreign id. What stands
 * in the way is thrown in the order of the contract (README 3.1, 7).
 *
 * @throws ApiError 404 MODEL_NOT_FOUND, 400 INVALID_MODEL, 410 MODEL_RETIRED, 401 PRO_ONLY_MODEL,
 * 403 REGION_RESTRICTED, UNAUTHORIZED or MODEL_PRIVACY_RESTRICTED, 503 MODEL_OFFLINE or SERVICE_UNAVAILABLE.
 */
export function resolveModel(name: string, options: ResolveOptions): Model {
  const { type, caller, region, context, now = Date.now() } = options
  const named = find(name, type, now)
  if (named.type !== type) {
    throw new ApiError(
      'INVALID_MODEL',
      `${named.id} is a model of type ${named.type}; this endpoint needs type ${type}.`,
    )
  }
  const model = servingModel(named, catalogue().byId, now)
  assertAllowed(model, caller, region)
  if (model.isOffline)
    throw new ApiError('MODEL_OFFLINE', `${model.id} is offline. Choose another model, or try again later.`)
  if (context) leaveFacts(context, named, model, now)
  return model
}

export function fallbacksOf(model: Model, caller?: Caller, now = Date.now()): Model[] {
  return model.fallbacks.flatMap((id) => {
    const fallback = catalogue().byId.get(id)
    if (fallback === undefined || fallback.type !== model.type || fallback.isOffline) return []
    return isRetired(fallback, now) || refusal(fallback, caller) ? [] : [fallback]
  })
}

export function assistsOf({ assist }: Model, caller?: Caller, now = Date.now()): { vision?: Model; audio?: Model } {
  const usable = (id: string | undefined) => {
    const model = id === undefined ? undefined : catalogue().byId.get(id)
    return model && !model.isOffline && !isRetired(model, now) && !refusal(model, caller) ? model : undefined
  }
  return { vision: usable(assist?.vision), audio: usable(assist?.audio) }
}

export function isPrivateEnough(model: Pick<Model, 'type' | 'privacy'>, caller: Caller | undefined): boolean {
  if (caller?.via.type !== 'key' || model.privacy === 'private') return true
  const { modelPrivacy } = caller.via
  if (modelPrivacy === 'PRIVATE_TEXT') return model.type !== 'text' && model.type !== 'embedding'
  return modelPrivacy === 'ALL'
}

function find(name: string, type: ModelType, now: number): Model {
  const { byId, traits, aliases } = catalogue()
  const model = byId.get(name) ?? traits(type, now).get(name) ?? aliases(type).get(name)
  if (model) return model
  // Nobody has to name the default: it stands for what a request leaves out.
  if (name === 'default') {
    throw new ApiError(
      'MODEL_NOT_FOUND',
      `No ${type} model is configured on this server. GET /models?type=all lists its models.`,
    )
  }
  throw new ApiError(
    'MODEL_NOT_FOUND',
    `There is no model "${shownName(name)}" of type ${type}. GET /models lists them.`,
  )
}

function assertAllowed(model: Model, caller: Caller | undefined, region: string | undefined): void {
  const refused = refusal(model, caller, region)
  if (refused) throw refused
}

function refusal(model: Model, caller: Caller | undefined, region?: string): ApiError | undefined {
  // Wallets pay for what they use; the rule is about accounts and their keys (contract, README 5).
  if (model.access === 'pro' && caller && !isWallet(caller) && !caller.isPro) {
    return new ApiError(
      'PRO_ONLY_MODEL',
      `${model.id} is for Pro accounts. Choose another model, or ask the operator of this server for Pro.`,
    )
  }
  if (model.regions && !(region && model.regions.includes(region))) {
    return new ApiError('REGION_RESTRICTED', `${model.id} is not offered in your region. Choose another model.`)
  }
  // Accounts are made by the operator; everybody else in a sandbox has test credit only.
  if (model.refusesTestCredit && caller && caller.kind !== 'account') {
    return new ApiError(
      'UNAUTHORIZED',
      `${model.id} is not available with test credit. Choose another model, or use an API key of this server's operator.`,
    )
  }
  if (!isPrivateEnough(model, caller)) {
    return new ApiError(
      'MODEL_PRIVACY_RESTRICTED',
      `This API key may only use private models, and ${model.id} is not one. Choose another model or change the key.`,
    )
  }
  return undefined
}

function leaveFacts({ facts }: Pick<RequestContext, 'facts'>, named: Model, model: Model, now: number): void {
  facts.modelId = model.id
  facts.modelName = model.name
  if (named !== model) facts.replacementId = model.id
  facts.deprecation = warningOf(model, now)
}

export function shownName(name: string): string {
  const cut = name.slice(0, MAX_SHOWN_CHARACTERS)
  const plain = cut.replace(/[^\x21\x23-\x5b\x5d-\x7e ]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `\\u{${code.toString(16)}}`
  })
  return name.length > cut.length ? `${plain}…` : plain
}
