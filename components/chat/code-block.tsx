'use client'

import { WrapText } from 'lucide-react'
import { useState } from 'react'
import type { ExtraProps } from 'react-markdown'
import { OpenSnippetInRpc } from '@/components/rpc/snippets/chat-links'
import { IconButton } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'

type Nodes = ExtraProps['node']

/** A fenced block: its language, wrap and copy stay in sight while a long one scrolls by. */
export function CodeBlock({ node }: { node: Nodes }) {
  const [isWrapped, setIsWrapped] = useState(false)
  const code = textOf(node).replace(/\n$/, '')
  const language = languageOf(node)
  return (
    <div className="code-block rounded-card border border-line bg-sunken">
      <div className="sticky top-0 z-1 flex items-center rounded-t-card border-b border-line bg-sunken ps-4 pe-1">
        <span className="flex-1 text-12 text-ink-3">{language ?? 'text'}</span>
        <OpenSnippetInRpc code={code} />
        <IconButton
          label="Wrap lines"
          aria-pressed={isWrapped}
          onClick={() => setIsWrapped(!isWrapped)}
          className="aria-pressed:text-accent"
        >
          <WrapText aria-hidden="true" />
        </IconButton>
        <CopyButton text={code} label="Copy code" />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
        tabIndex={0}
        className={`thin-scroll overflow-x-auto px-4 py-3 font-mono text-13 leading-5 ${isWrapped ? 'wrap-anywhere whitespace-pre-wrap' : ''}`}
      >
        <code>{code}</code>
      </pre>
    </div>
  )
}

function languageOf(node: Nodes): string | undefined {
  const [code] = node?.children ?? []
  const classes = code?.type === 'element' ? code.properties.className : undefined
  const found = Array.isArray(classes) ? classes.find((name) => String(name).startsWith('language-')) : undefined
  return found === undefined ? undefined : String(found).slice('language-'.length)
}

function textOf(node: Nodes): string {
  return (node?.children ?? [])
    .map((child) => (child.type === 'text' ? child.value : child.type === 'element' ? textOf(child) : ''))
    .join('')
}
