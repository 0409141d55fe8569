import { usdNumber } from '@/lib/contract/money'
import { VideoQuoteRequest } from '@/lib/contract/video.schema'
import { quoteVideo } from '@/lib/endpoints/video/quote'
import { json } from '@/lib/pipeline/body'
import { route } from '@/lib/pipeline/methods'
import { jsonReply } from '@/lib/pipeline/reply'
import { limitAddress } from '@/lib/services/limits/limits'

const MAX_BYTES = 1_048_576
const parse = json(VideoQuoteRequest, { maxBytes: MAX_BYTES })

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: async (context, request) => {
    await limitAddress(context, 'default')
    const body = await parse(context, request)
    return jsonReply({ quote: usdNumber(quoteVideo(body, context)) })
  },
})
