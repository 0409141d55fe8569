import { json } from '@/lib/api/body'
import { endpoint } from '@/lib/api/endpoint'
import { jsonReply } from '@/lib/api/reply'
import { route } from '@/lib/api/route'
import { quoteAudio } from '@/lib/audio-jobs/quote'
import { AudioQuoteRequest } from '@/lib/audio-jobs/schema'
import { usdNumber } from '@/lib/contract/money'
import { limitAddress } from '@/lib/services/limits/rate-limit'

const MAX_BYTES = 16_384
const parse = json(AudioQuoteRequest, { maxBytes: MAX_BYTES })

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: endpoint(async (context, request) => {
    await limitAddress(context, 'default')
    const body = await parse(context, request)
    return jsonReply({ quote: usdNumber(quoteAudio(body, context)) })
  }),
})
