'use client'

import { useState } from 'react'
import { importedBatch } from '@/components/rpc/batch/items'
import type { RpcCallDraft } from '@/components/rpc/client'
import { Button } from '@/components/ui/button'
import { CodeEditor } from '@/components/ui/code-editor'
import { Sheet } from '@/components/ui/sheet'
import { plural, t } from '@/lib/i18n/t'

type ImportSheetProps = { onTake: (calls: readonly RpcCallDraft[]) => void; onClose: () => void }

/** A batch as a program sends it, taken over in place of what is in the builder. */
export function ImportSheet({ onTake, onClose }: ImportSheetProps) {
  const [text, setText] = useState('')
  const imported = text.trim() === '' ? undefined : importedBatch(text)
  const calls = imported && 'calls' in imported ? imported.calls : undefined
  const take = () => calls && onTake(calls)
  return (
    <Sheet isOpen onClose={onClose} title={t('Paste batch')}>
      <p className="mt-2 mb-4 text-ink-2">
        {t('Paste a JSON-RPC batch or a single call. It replaces the calls in the builder.')}
      </p>
      <CodeEditor label={t('Batch as JSON')} value={text} onChange={setText} onRun={take} minLines={8} maxLines={16} />
      <p role="status" className="mt-2 min-h-5 text-13 text-ink-2">
        {calls && plural(calls.length, { one: '{count} call', other: '{count} calls' })}
        {imported && 'problem' in imported && <span className="text-danger">{imported.problem}</span>}
      </p>
      <div className="mt-3 flex justify-end gap-2">
        <Button kind="plain" onClick={onClose}>
          {t('Cancel')}
        </Button>
        <Button kind="primary" disabled={!calls} onClick={take}>
          {t('Replace calls')}
        </Button>
      </div>
    </Sheet>
  )
}
