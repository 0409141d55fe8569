import { parseVoice, refuseVoice } from '@/lib/endpoints/audio/clone-voice'
import { metered } from '@/lib/pipeline/metered'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: parseVoice, // a form with a recording
    price: refuseVoice, // always ends here
    run: (work: never) => work,
    respond: (output: never) => output,
  }),
})
