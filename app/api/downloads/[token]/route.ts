import { revokeDownload, sendDownload } from '@/lib/endpoints/video/download'
import { endpoint } from '@/lib/pipeline/endpoint'
import { route } from '@/lib/pipeline/methods'
import { limitAddress } from '@/lib/services/limits/limits'

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
