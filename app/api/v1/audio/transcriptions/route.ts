import { parseTranscription } from '@/lib/endpoints/audio/transcription-parse'
import { quoteTranscription } from '@/lib/endpoints/audio/transcription-quote'
import { renderTranscription } from '@/lib/endpoints/audio/transcription-render'
import { runTranscription } from '@/lib/endpoints/audio/transcription-run'
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
