import { VideoQuoteRequest } from '@/lib/contract/video.schema'
import { quoteVideo } from '@/lib/endpoints/video/quote'
import { quoting } from '@/lib/pipeline/job-routes'
import { route } from '@/lib/pipeline/route'

const MAX_BYTES = 1_048_576

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: quoting(VideoQuoteRequest, quoteVideo, MAX_BYTES),
})
