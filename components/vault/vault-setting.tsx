'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Choice } from '@/components/ui/choice'
import { Sentence } from '@/components/ui/sentence'
import { Setting } from '@/components/ui/setting'
import { hasPasskey, removePasskey } from '@/components/vault/by-passkey'
import { ChangeSheet } from '@/components/vault/change-sheet'
import { canUsePasskey } from '@/components/vault/passkey'
import { PasskeySheet } from '@/components/vault/passkey-sheet'
import { TurnOffSheet } from '@/components/vault/turn-off-sheet'
import { TurnOnSheet } from '@/components/vault/turn-on-sheet'
import { usePreference } from '@/lib/browser/preferences'
import { useVault } from '@/lib/browser/vault/use-vault'
import { lock } from '@/lib/browser/vault/vault'
import { msg, t } from '@/lib/i18n/t'

const IDLE = [
  { value: '5', label: msg('5 minutes') },
  { value: '15', label: msg('15 minutes') },
  { value: '60', label: msg('1 hour') },
  { value: 'never', label: msg('Never') },
] as const

/** Encryption of all that is kept of chats. */
export function VaultSetting() {
  const vault = useVault()
  const [idle, setIdle] = usePreference('vaultIdle')
  const [sheet, setSheet] = useState<'on' | 'off' | 'change' | 'passkey'>()
  const close = () => setSheet(undefined)
  return (
    <Setting id="vault" isWide>
      {vault === 'off' && <Button onClick={() => setSheet('on')}>{t('Turn on vault')}</Button>}
      {vault === 'locked' && (
        <p className="text-14 text-ink-2">
          <Sentence
            text={t('The vault is on and locked. <unlock>Unlock</unlock>')}
            parts={{
              unlock: (words) => (
                <a href="/" className="underline underline-offset-4">
                  {words}
                </a>
              ),
            }}
          />
        </p>
      )}
      {vault === 'open' && (
        <>
          <p className="mb-2 text-14 text-ink-2">{t('The vault is on. Locks when idle for:')}</p>
          <Choice
            label={t('Lock after')}
            options={IDLE.map(({ value, label }) => ({ value, label: t(label) }))}
            value={idle}
            onChange={setIdle}
          />
          <div className="mt-3 flex flex-wrap gap-2">
            <Button onClick={() => void lock()}>{t('Lock now')}</Button>
            <Button onClick={() => setSheet('change')}>{t('Change passphrase')}</Button>
            <Passkey onAdd={() => setSheet('passkey')} />
            <Button onClick={() => setSheet('off')}>{t('Turn off vault')}</Button>
          </div>
        </>
      )}
      {sheet === 'on' && <TurnOnSheet onClose={close} />}
      {sheet === 'off' && <TurnOffSheet onClose={close} />}
      {sheet === 'passkey' && <PasskeySheet onClose={close} />}
      {sheet === 'change' && <ChangeSheet onClose={close} />}
    </Setting>
  )
}

/** Offered where the browser has passkeys that can do it. */
function Passkey({ onAdd }: { onAdd: () => void }) {
  const [isOffered, setOffered] = useState(false)
  const isThere = useLiveQuery(hasPasskey, [])
  useEffect(() => {
    void canUsePasskey().then(setOffered)
  }, [])
  if (isThere) return <Button onClick={() => void removePasskey()}>{t('Remove passkey')}</Button>
  return isOffered && isThere === false ? <Button onClick={onAdd}>{t('Add passkey')}</Button> : null
}
