import { endpoint } from '@/lib/api/endpoint'
import { route } from '@/lib/api/route'
import { limitAddress } from '@/lib/services/limits/rate-limit'
import { revokeDownload, sendDownload } from '@/lib/video/download'

/** What `download_url` of a queued film leads to: whoever has the address may fetch the film, and end it. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: endpoint(async (context, _request, { token }) => {
    await limitAddress(context, 'default')
    return sendDownload(token)
  }),
  DELETE: endpoint(async (context, _request, { token }) => {
    await limitAddress(context, 'default')
    return revokeDownload(token)
  }),
})
