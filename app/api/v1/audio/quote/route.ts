import { AudioQuoteRequest } from '@/lib/contract/audio.schema'
import { quoteAudio } from '@/lib/endpoints/audio/music'
import { quoting } from '@/lib/pipeline/job-routes'
import { route } from '@/lib/pipeline/route'

const MAX_BYTES = 16_384

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: quoting(AudioQuoteRequest, quoteAudio, MAX_BYTES),
})
