import { ownSession } from '@/lib/access/session'
import { revokeSession } from '@/lib/access/sign-in/wallet-sessions'
import { endpoint } from '@/lib/api/endpoint'
import { jsonReply } from '@/lib/api/reply'
import { route } from '@/lib/api/route'
import { ApiError } from '@/lib/core/errors'

/** Ends one session of the account that this browser is signed in to. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  DELETE: endpoint(async (context, _request, { id }) => {
    const own = await ownSession(context)
    if (!(await revokeSession(own.accountId, String(id)))) {
      throw new ApiError('NOT_FOUND', 'There is no such open session of yours.')
    }
    return jsonReply({ success: true }, { headers: { 'Cache-Control': 'no-store' } })
  }),
})
