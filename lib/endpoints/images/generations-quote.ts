import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import type { GenerationsRequest } from '@/lib/contract/images.schema'
import { assertPrompt, type GenerateWork, nearestSize, quoted } from '@/lib/endpoints/images/generate-quote'
import type { Caller, RequestContext } from '@/lib/kernel/request-context'
import type { Quote } from '@/lib/pipeline/metered'
import type { Model } from '@/lib/services/models/model'
import { resolveModel } from '@/lib/services/models/resolve'
import type { ImagePart } from '@/lib/services/models/type-parts'

const AUTO = '1024x1024'

/** A picture asked for in the common convention → the same work. */
export function quoteGenerations(
  body: GenerationsRequest,
  caller: Caller,
  context: RequestContext,
): Quote<GenerateWork> {
  const model = named(body.model, caller, context)
  const can = model.image as ImagePart
  assertPrompt(body.prompt, can, model, 'prompt')
  const { size } = body
  const [width, height] = (size && size !== 'auto' ? size : AUTO).split('x').map(Number) as [number, number]
  const { resolution, ...nearest } = nearestSize({ width, height }, can)
  const quality = can.qualities?.length ? can.defaultQuality : undefined
  return quoted(caller, context, {
    model,
    tier: { resolution, quality },
    paint: {
      ...nearest,
      prompt: body.prompt,
      quality,
      steps: can.steps.max === 1 ? undefined : can.steps.default,
      isSafe: body.moderation !== 'low',
    },
    variants: 1,
    format: body.output_format,
    describes: false,
    isBinary: false,
    request: body,
  })
}

/** A name that nobody knows stands for the default: common clients name models of other services. */
function named(name: string, caller: Caller, context: RequestContext): Model {
  try {
    return resolveModel(name, { type: 'image', caller, context })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'MODEL_NOT_FOUND') throw error
    return resolveModel('default', { type: 'image', caller, context })
  }
}
