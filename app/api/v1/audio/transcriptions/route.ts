import { metered } from '@/lib/api/metered'
import { route } from '@/lib/api/route'
import { parseTranscription } from '@/lib/audio/transcription-parse'
import { quoteTranscription } from '@/lib/audio/transcription-quote'
import { renderTranscription } from '@/lib/audio/transcription-render'
import { runTranscription } from '@/lib/audio/transcription-run'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: parseTranscription, // a form with a file that is sound by name and by content
    price: quoteTranscription, // resolves the model, bounds the seconds
    run: runTranscription, // decodes and hears; the meter reads the seconds
    respond: renderTranscription, // json, text, srt, vtt or verbose_json
  }),
})
