import { config } from '@/lib/kernel/config'
import { uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { challenge } from '@/lib/services/identity/sign-in/challenge'

// Fresh each time, with the times of this server's clock.
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: () => uncachedJson({ info: challenge(config().origin).info }),
})
