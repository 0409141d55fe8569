import { pageCaller } from '@/lib/pipeline/admit'
import { route } from '@/lib/pipeline/methods'
import { jsonReply } from '@/lib/pipeline/reply'
import { listSessions } from '@/lib/services/identity/sign-in/wallet-sessions'
import { limitRoute } from '@/lib/services/limits/limits'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context) => {
    const caller = await pageCaller(context)
    await limitRoute(context, caller, 'default')
    const sessions = await listSessions(caller.accountId)
    const current = caller.via.type === 'session' ? caller.via.sessionId : undefined
    return jsonReply(
      { sessions: sessions.map((session) => ({ ...session, isCurrent: session.id === current })) },
      { headers: { 'Cache-Control': 'no-store' } },
    )
  },
})
