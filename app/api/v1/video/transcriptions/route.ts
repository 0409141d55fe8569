import { VideoTranscriptionRequest } from '@/lib/contract/video.schema'
import { quoteTranscription, renderTranscription, runTranscription } from '@/lib/endpoints/video/transcription'
import { json } from '@/lib/pipeline/body'
import { metered } from '@/lib/pipeline/metered'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(VideoTranscriptionRequest),
    price: quoteTranscription, // the most that the longest video costs
    run: runTranscription, // captions where the page has them, else what is heard
    respond: renderTranscription,
  }),
})
