import { operatorLink, revokeOperators } from '@/lib/services/identity/operator'
import { answer, type Command } from '@/server/admin/command'

async function link() {
  const { link, expiresAt } = await operatorLink()
  return answer([`Open this link within 24 hours to administer the server in your browser:`, link], {
    link,
    expiresAt: expiresAt.toISOString(),
  })
}

async function revoke() {
  await revokeOperators()
  return answer(['Every operator is signed out, and earlier links are invalid.'], { revoked: true })
}

export const operatorCommands: Command[] = [
  {
    name: 'operator link',
    usage: 'operator link',
    summary: 'prints a link that opens the administration page; valid for 24 hours',
    needsDatabase: true,
    run: link,
  },
  {
    name: 'operator revoke',
    usage: 'operator revoke',
    summary: 'signs every operator out and ends all earlier links',
    needsDatabase: true,
    run: revoke,
  },
]
