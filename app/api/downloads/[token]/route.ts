import { revokeDownload, sendDownload } from '@/lib/endpoints/video/download'
import { route } from '@/lib/pipeline/route'
import { limitAddress } from '@/lib/services/limits/limits'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context, _request, { token }) => {
    await limitAddress(context, 'default')
    return sendDownload(token)
  },
  DELETE: async (context, _request, { token }) => {
    await limitAddress(context, 'default')
    return revokeDownload(token)
  },
})
