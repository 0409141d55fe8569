import {
  parseTranscription,
  quoteTranscription,
  renderTranscription,
  runTranscription,
} from '@/lib/endpoints/audio/transcription'
import { metered } from '@/lib/pipeline/metered'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: parseTranscription, // a form with a file that is sound by name and by content
    price: quoteTranscription, // resolves the model, bounds the seconds
    run: runTranscription, // decodes and hears; the meter reads the seconds
    respond: renderTranscription, // json, text, srt, vtt or verbose_json
  }),
})
