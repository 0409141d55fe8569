import { ApiError } from '@/lib/contract/errors'
import { pageCaller } from '@/lib/pipeline/admit'
import { uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { revokeSession } from '@/lib/services/identity/sign-in/wallet-sessions'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  DELETE: async (context, _request, { id }) => {
    const caller = await pageCaller(context)
    if (!(await revokeSession(caller.accountId, String(id)))) {
      throw new ApiError('NOT_FOUND', 'There is no such open session of yours.')
    }
    return uncachedJson({ success: true })
  },
})
