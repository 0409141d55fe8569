import { json } from '@/lib/api/body'
import { metered } from '@/lib/api/metered'
import { route } from '@/lib/api/route'
import { VideoTranscriptionRequest } from '@/lib/video/schema'
import { quoteTranscription, renderTranscription, runTranscription } from '@/lib/video/transcription'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(VideoTranscriptionRequest),
    price: quoteTranscription, // the most that the longest video costs
    run: runTranscription, // captions where the page has them, else what is heard
    respond: renderTranscription,
  }),
})
