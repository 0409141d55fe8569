import { AudioQuoteRequest } from '@/lib/contract/audio.schema'
import { usdNumber } from '@/lib/contract/money'
import { quoteAudio } from '@/lib/endpoints/audio/music'
import { json } from '@/lib/pipeline/body'
import { route } from '@/lib/pipeline/methods'
import { jsonReply } from '@/lib/pipeline/reply'
import { limitAddress } from '@/lib/services/limits/limits'

const MAX_BYTES = 16_384
const parse = json(AudioQuoteRequest, { maxBytes: MAX_BYTES })

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: async (context, request) => {
    await limitAddress(context, 'default')
    const body = await parse(context, request)
    return jsonReply({ quote: usdNumber(quoteAudio(body, context)) })
  },
})
