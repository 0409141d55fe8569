import 'server-only'
import { type ChatEvent, type ChatRequest, EngineError } from '@/lib/services/engines/engine'
import { Answer, type ChunkDecoder } from '@/lib/services/engines/upstream/chat/reply-reader'
import type { Ask } from '@/lib/services/engines/upstream/http-client'

/**
 * A part of a request that some models of a vendor refuse. `isOfRequest`: what was refused is this request's, so that it
 * says nothing about the model.
 */
export type Refusal = { feature: string; pattern: RegExp; isOfRequest?: true }

/** A vendor's own wire form. */
export type NativeForm = {
  headers: string[]
  path(model: string): string
  /** @throws EngineError `invalid-request` naming the fields that the form has no place for. */
  body(request: ChatRequest, features: Features): object
  decoder(request: ChatRequest, features: Features): ChunkDecoder
  /** In order: of several that fit a message, the first is left out. */
  refusals: readonly Refusal[]
  /** Reads from a refusal how many output tokens would fit the context. */
  roomIn?(message: string): number | undefined
}

/**
 * What of a form a model can be sent. Which models take which parameters changes with every release and is in no list,
 * so what a model refuses by name is left out of this request and of all later ones.
 */
export class Features {
  readonly #refusals: readonly Refusal[]
  readonly #refusedByModel: Set<string>
  readonly #refusedHere = new Set<string>()
  readonly #used = new Set<string>()

  constructor(refusals: readonly Refusal[], refusedByModel: Set<string>) {
    this.#refusals = refusals
    this.#refusedByModel = refusedByModel
  }

  has(feature: string): boolean {
    return !this.#refusedByModel.has(feature) && !this.#refusedHere.has(feature)
  }

  /** Tells whether a feature may be sent, and records that it is. */
  use(feature: string): boolean {
    if (!this.has(feature)) return false
    this.#used.add(feature)
    return true
  }

  /** Leaves out what this message refuses. @returns whether there is something that was sent and is no longer. */
  refuse(message: string): boolean {
    const refusal = this.#refusals.find(({ feature, pattern }) => this.#used.has(feature) && pattern.test(message))
    if (refusal === undefined) return false
    const refused = refusal.isOfRequest ? this.#refusedHere : this.#refusedByModel
    refused.add(refusal.feature)
    this.#used.clear()
    return true
  }
}

/** Makes the calls of an engine that speaks a vendor's own form. */
export function nativeAsks(form: NativeForm, router: string): (request: ChatRequest) => Ask<ChatEvent[]> {
  const refusedByModels = new Map<string, Set<string>>()

  function refusedBy(model: string): Set<string> {
    const refused = refusedByModels.get(model) ?? new Set<string>()
    refusedByModels.set(model, refused)
    return refused
  }

  return (asked) => {
    // Vendors' own forms are streamed, whatever is done with the answer.
    const request = { ...asked, isWhole: false }
    const features = new Features(form.refusals, refusedBy(request.model))
    let { maxTokens } = request
    let body: Buffer | undefined
    return {
      call() {
        body ??= Buffer.from(JSON.stringify(form.body({ ...request, maxTokens }, features)))
        return { path: form.path(request.model), headers: form.headers, body }
      },
      read: (exchange, options) => new Answer(exchange, request, options, form.decoder(request, features)),
      cacheKey: request.cacheKey,
      begin: (batch, retries) => [{ type: 'route', router, retries }, ...(batch ?? [])],
      mend({ reason, message }) {
        body = undefined
        if (reason === 'invalid-request') return features.refuse(message)
        const room = reason === 'context-overflow' && request.bound !== 'firm' ? form.roomIn?.(message) : undefined
        if (room === undefined || room < 1 || room >= maxTokens) return false
        maxTokens = room
        return true
      },
    }
  }
}

/** @throws EngineError `invalid-request` naming the fields that are used. */
export function refuseFields(fields: Record<string, boolean>): void {
  const used = Object.keys(fields).filter((name) => fields[name])
  if (used.length === 0) return
  const names = used.map((name) => `\`${name}\``).join(', ')
  throw new EngineError(
    'invalid-request',
    `The model does not support ${names}. Leave it out, or choose another model.`,
  )
}
