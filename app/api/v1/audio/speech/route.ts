import { SpeechRequest } from '@/lib/contract/audio.schema'
import { quoteSpeech, renderSpeech, runSpeech } from '@/lib/endpoints/audio/speech'
import { json } from '@/lib/pipeline/body'
import { metered } from '@/lib/pipeline/metered'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(SpeechRequest),
    price: quoteSpeech, // resolves the model, checks voice and format
    run: runSpeech, // sound, sentence by sentence; the meter reads the characters
    respond: renderSpeech, // a file, or a stream
  }),
})
