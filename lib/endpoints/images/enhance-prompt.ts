import 'server-only'
import { unitPrice } from '@/lib/contract/money'
import { PROMPT_REWRITE_PRICE } from '@/lib/contract/prices'
import { log } from '@/lib/kernel/log'
import type { Caller } from '@/lib/kernel/request-context'
import type { ContentPart, InputImage } from '@/lib/services/engines/engine'
import { chatEngine, EMBEDDED_ENGINE } from '@/lib/services/engines/registry'
import type { PricedUnits } from '@/lib/services/ledger/meter'
import { dataUrlOf } from '@/lib/services/media/data-url'
import { prepareImage } from '@/lib/services/media/image'
import type { Model } from '@/lib/services/models/model'
import { resolveModel } from '@/lib/services/models/resolve'

// Source: API contract, images.md.
const DEADLINE_MS = 30_000
const PRICE = unitPrice(PROMPT_REWRITE_PRICE)
const MAX_TOKENS = 600
const MAX_CHARACTERS = 2_000

const TASK =
  'You rewrite prompts for an image model. Answer with the rewritten prompt alone: what the user asked for, in one ' +
  'paragraph, with concrete subject, setting, light, colours and composition. Add nothing that changes the meaning, keep ' +
  'all text that is quoted, and write in the language of the prompt.'
const EDIT_TASK = 'The prompt describes how to edit an image. Keep it an instruction, and say what must not change.'

export type Enhancement = { model: Model }

/**
 * Finds the model that rewrites prompts; undefined where there is none but the embedded ones, which would make a prompt
 * worse.
 */
export function enhancementFor(caller: Caller): Enhancement | undefined {
  try {
    const model = resolveModel('default', { type: 'text', caller })
    return model.engine === EMBEDDED_ENGINE ? undefined : { model }
  } catch {
    return undefined
  }
}

export const enhancementLines = (): PricedUnits[] => [{ sku: 'image-prompt-enhancement', units: 1, price: PRICE }]

/** Rewrites a prompt; undefined when that failed or took too long, for the plain prompt makes an image, too. */
export async function enhanced(
  { model }: Enhancement,
  prompt: string,
  signal: AbortSignal,
  image?: InputImage,
): Promise<string | undefined> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)])
  try {
    const seen = image && model.capabilities.supportsVision ? [await partOf(image, either)] : []
    const request = {
      model: model.upstreamModel,
      messages: [
        { role: 'system' as const, content: image ? `${TASK} ${EDIT_TASK}` : TASK },
        { role: 'user' as const, content: [{ type: 'text' as const, text: prompt }, ...seen] },
      ],
      sampling: { temperature: 0.7 },
      n: 1,
      maxTokens: MAX_TOKENS,
      stop: [],
      extra: {},
    }
    let text = ''
    for await (const event of chatEngine(model.engine).stream(request, either)) {
      if (event.type === 'text-delta') text += event.text
      if (text.length > MAX_CHARACTERS) break
    }
    const written = text.replace(/<think>[\s\S]*?<\/think>/g, '').trim()
    return written === '' || written.length > MAX_CHARACTERS ? undefined : written
  } catch (error) {
    if (signal.aborted) throw signal.reason
    log().warn({ err: error, model: model.id }, 'rewriting a prompt failed')
    return undefined
  }
}

async function partOf({ bytes }: InputImage, signal: AbortSignal): Promise<ContentPart> {
  return { type: 'image_url', image_url: { url: dataUrlOf(await prepareImage(bytes, { signal })) } }
}
