'use client'

import { useState } from 'react'
import { Button } from '@/components/ui/button'

/** Whether a question is open for editing. */
export function useEditing() {
  const [isOpen, setIsOpen] = useState(false)
  return { isOpen, open: () => setIsOpen(true), close: () => setIsOpen(false) }
}

type QuestionEditorProps = { text: string; onSend: (text: string) => void | Promise<void>; onCancel: () => void }

/** A question, to be asked differently. The first version stays. */
export function QuestionEditor({ text, onSend, onCancel }: QuestionEditorProps) {
  const [draft, setDraft] = useState(text)
  const canSend = draft.trim() !== ''
  return (
    <form
      className="w-full rounded-[18px] border border-control bg-surface p-2 focus-within:border-accent"
      onSubmit={(event) => {
        event.preventDefault()
        if (canSend) void onSend(draft.trim())
      }}
    >
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the person just asked to edit this question
        autoFocus
        aria-label="Edit question"
        rows={Math.min(12, draft.split('\n').length + 1)}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => {
          const isComposing = event.nativeEvent.isComposing || event.keyCode === 229
          if (event.key === 'Escape') {
            event.preventDefault()
            onCancel()
          } else if (event.key === 'Enter' && !event.shiftKey && !isComposing) {
            event.preventDefault()
            if (canSend) void onSend(draft.trim())
          }
        }}
        className="w-full resize-none bg-transparent px-2 py-1 text-16 outline-none"
      />
      <div className="flex justify-end gap-2">
        <Button kind="plain" onClick={onCancel}>
          Cancel
        </Button>
        <Button kind="primary" type="submit" disabled={!canSend}>
          Ask this instead
        </Button>
      </div>
    </form>
  )
}
