'use client'

import { useState } from 'react'
import { KeyRow } from '@/components/settings/key-row'
import { useChosenKeys } from '@/components/settings/use-keys'
import { announce } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { Choice } from '@/components/ui/choice'
import { Setting } from '@/components/ui/setting'
import { usePreference } from '@/lib/browser/preferences'
import { resetKeys } from '@/lib/browser/shortcut-binding'
import { type CommandId, SHORTCUTS } from '@/lib/browser/shortcuts'
import { t } from '@/lib/i18n/t'

/** The keys, and the way to change them. */
export function KeySettings() {
  const [letters, setLetters] = usePreference('letterKeys')
  const [changing, setChanging] = useState<CommandId>()
  const chosen = useChosenKeys()
  const resetAll = () => {
    resetKeys()
    setChanging(undefined)
    announce(t('All shortcuts reset'))
  }
  return (
    <>
      <Setting id="letters">
        <Choice
          label={t('Single-key shortcuts')}
          value={letters}
          onChange={setLetters}
          options={[
            { value: 'on', label: t('On') },
            { value: 'off', label: t('Off') },
          ]}
        />
      </Setting>
      <Setting id="keys" isWide>
        <ul aria-label={t('Keys')} className="rounded-card border border-line">
          {SHORTCUTS.map((shortcut) => (
            <KeyRow
              key={shortcut.id}
              shortcut={shortcut}
              isChanging={changing === shortcut.id}
              onChange={() => setChanging(shortcut.id)}
              onDone={() => setChanging(undefined)}
            />
          ))}
        </ul>
        <Button className="mt-3" disabled={Object.keys(chosen).length === 0} onClick={resetAll}>
          {t('Reset all shortcuts')}
        </Button>
      </Setting>
    </>
  )
}
