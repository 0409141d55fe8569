import 'server-only'
import { withinDeadline } from '@/lib/endpoints/images/deliver'
import type { EditWork } from '@/lib/endpoints/images/edit-quote'
import { enhanced, enhancementLines } from '@/lib/endpoints/images/enhance'
import { enhancedHeader } from '@/lib/endpoints/images/generate-render'
import { type Picture, writePicture } from '@/lib/endpoints/images/image'
import { ratioOf, type Size, sizeOfRatio } from '@/lib/endpoints/images/sizes'
import { openSource } from '@/lib/endpoints/images/source'
import type { RequestContext } from '@/lib/kernel/request-context'
import { instanceHeader } from '@/lib/pipeline/headers'
import type { Reply } from '@/lib/pipeline/reply'
import type { InputPicture } from '@/lib/services/engines/engine'
import { painterOf } from '@/lib/services/engines/image-engine'
import type { Meter } from '@/lib/services/ledger/meter'

/** As an engine sends a picture, and as it goes out. */
const COPIES = 2

export type Edited = { picture: Picture; enhancedPrompt?: string }

/** Changes the picture. Nothing is charged unless there is a new one. */
export function runEdit(work: EditWork, meter: Meter, _context: RequestContext, signal: AbortSignal): Promise<Edited> {
  const wording = { noun: 'The picture', code: 'IMAGE_EDIT_ERROR' } as const
  return withinDeadline(meter, signal, wording, async (limited, hand) => {
    const { model, quality, format } = work
    const images: InputPicture[] = []
    for (const source of work.images) images.push(await openSource(source, hand, limited))
    const { prompt, enhancement } = work
    const enhancedPrompt = enhancement && (await enhanced(enhancement, prompt, limited, images[0]))
    const request = {
      model: model.upstreamModel,
      prompt: enhancedPrompt ?? prompt,
      images,
      size: sizeOf(work),
      quality,
    }
    const bytes = await painterOf(model.engine).edit(request, limited)
    hand.reserve(bytes.length * COPIES)
    const picture = await writePicture(bytes, { format }, limited)
    const lines = [...work.lines, ...(enhancedPrompt === undefined ? [] : enhancementLines())]
    meter.read = () => ({ lines, modelId: model.id, modelType: 'IMAGE' })
    return { picture, enhancedPrompt }
  })
}

/** Nothing where the picture's own size is to stay. */
function sizeOf({ ratio, resolution }: EditWork): Size | undefined {
  const number = ratio === undefined ? undefined : ratioOf(ratio)
  return number === undefined ? undefined : sizeOfRatio(number, resolution)
}

/** The new picture as a file; never JSON. Contract, images.md. */
export async function renderEdit(output: Promise<Edited>): Promise<Reply> {
  const { picture, enhancedPrompt } = await output
  const headers = {
    'x-service-is-content-violation': 'false',
    ...instanceHeader(),
    ...enhancedHeader(enhancedPrompt),
  }
  return { body: new Uint8Array(picture.bytes), contentType: picture.mime, headers }
}
