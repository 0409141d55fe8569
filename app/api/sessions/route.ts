import { ownSession } from '@/lib/access/session'
import { listSessions } from '@/lib/access/sign-in/wallet-sessions'
import { endpoint } from '@/lib/api/endpoint'
import { jsonReply } from '@/lib/api/reply'
import { route } from '@/lib/api/route'

/** The open sessions of the account that this browser is signed in to. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: endpoint(async (context) => {
    const own = await ownSession(context)
    const sessions = await listSessions(own.accountId)
    return jsonReply(
      { sessions: sessions.map((session) => ({ ...session, isCurrent: session.id === own.id })) },
      { headers: { 'Cache-Control': 'no-store' } },
    )
  }),
})
