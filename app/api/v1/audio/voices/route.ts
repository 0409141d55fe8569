import { metered } from '@/lib/api/metered'
import { route } from '@/lib/api/route'
import { parseVoice, refuseVoice } from '@/lib/audio/voices'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: parseVoice, // a form with a recording
    price: refuseVoice, // always ends here
    run: (work: never) => work,
    respond: (output: never) => output,
  }),
})
