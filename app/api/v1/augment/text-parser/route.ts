import { metered } from '@/lib/api/metered'
import { route } from '@/lib/api/route'
import { enterDefault } from '@/lib/augment/endpoints/enter'
import { quoteTextParser, renderTextParser, runTextParser } from '@/lib/augment/endpoints/text-parser'
import { parseTextParser } from '@/lib/augment/endpoints/text-parser-parse'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: parseTextParser, // a form with a file that is neither empty nor a picture
    price: quoteTextParser,
    enter: enterDefault,
    run: runTextParser, // read in a process of its own, in memory only
    respond: renderTextParser, // json or text
  }),
})
