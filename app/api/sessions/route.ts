import { pageCaller } from '@/lib/pipeline/admit'
import { uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { listSessions } from '@/lib/services/identity/sign-in/wallet-sessions'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context) => {
    const caller = await pageCaller(context)
    const sessions = await listSessions(caller.accountId)
    const current = caller.via.type === 'session' ? caller.via.sessionId : undefined
    return uncachedJson({ sessions: sessions.map((session) => ({ ...session, isCurrent: session.id === current })) })
  },
})
