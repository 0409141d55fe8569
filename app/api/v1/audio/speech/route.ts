import { json } from '@/lib/api/body'
import { metered } from '@/lib/api/metered'
import { route } from '@/lib/api/route'
import { quoteSpeech } from '@/lib/audio/speech-quote'
import { renderSpeech } from '@/lib/audio/speech-render'
import { runSpeech } from '@/lib/audio/speech-run'
import { SpeechRequest } from '@/lib/audio/speech-schema'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(SpeechRequest),
    price: quoteSpeech, // resolves the model, checks voice and format
    run: runSpeech, // sound, sentence by sentence; the meter reads the characters
    respond: renderSpeech, // a file, or a stream
  }),
})
