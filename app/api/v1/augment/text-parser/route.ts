import { enterDefault } from '@/lib/endpoints/augment/call'
import { parseTextParser, quoteTextParser, renderTextParser, runTextParser } from '@/lib/endpoints/augment/text-parser'
import { metered } from '@/lib/pipeline/metered'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: parseTextParser, // a form with a file that is neither empty nor a picture
    price: quoteTextParser,
    enter: enterDefault,
    run: runTextParser, // read in a process of its own, in memory only
    respond: renderTextParser, // json or text
  }),
})
