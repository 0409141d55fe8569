'use client'

import { ImageOff } from 'lucide-react'
import { type ComponentProps, memo, useMemo } from 'react'
import ReactMarkdown, { type Components, type ExtraProps } from 'react-markdown'
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'
import remend from 'remend'
import { CodeBlock } from '@/components/chat/code-block'
import { markdownBlocks } from '@/components/chat/markdown-blocks'

/** The turn is an article below the page's own heading, so the words of a model start at this level. */
const FIRST_LEVEL = 2
const LAST_LEVEL = 6

type MarkdownProps = { text: string; isStreaming: boolean }

/**
 * Words of a model. They are hostile until shown otherwise: no HTML, no image or other remote load, links to the web
 * only. Each block is drawn once and kept; the one that still grows is mended first, so that half a mark never shows.
 */
export function Markdown({ text, isStreaming }: MarkdownProps) {
  const { blocks, topHeading } = useMemo(() => markdownBlocks(text), [text])
  const shift = topHeading > LAST_LEVEL ? 0 : FIRST_LEVEL - topHeading
  return (
    <div className="prose">
      {blocks.map((block, index) => {
        const isOpen = isStreaming && index === blocks.length - 1
        // Blocks are only ever added at the end, so the place is the identity.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        return <Block key={index} text={isOpen ? mended(block) : block} shift={shift} isOpen={isOpen} />
      })}
    </div>
  )
}

const REPAIRS = { katex: false, linkMode: 'text-only' } as const
/** The head of a table before its second line is whole: bars and words that will look quite different in a moment. */
const TABLE_HEAD = /^\|[^\n]*(\n[|:\s-]*)?$/

function mended(block: string): string {
  return TABLE_HEAD.test(block) ? '' : remend(block, REPAIRS)
}

type BlockProps = { text: string; shift: number; isOpen: boolean }

const Block = memo(function Block({ text, shift, isOpen }: BlockProps) {
  const components = useMemo(() => ({ ...COMPONENTS, ...headings(shift) }), [shift])
  return (
    <div className={isOpen ? 'caret-after' : undefined}>
      <ReactMarkdown remarkPlugins={REMARK} rehypePlugins={REHYPE} components={components} urlTransform={webAddress}>
        {text}
      </ReactMarkdown>
    </div>
  )
})

const REMARK: ComponentProps<typeof ReactMarkdown>['remarkPlugins'] = [remarkGfm]
const REHYPE: ComponentProps<typeof ReactMarkdown>['rehypePlugins'] = [[rehypeSanitize, defaultSchema]]

/** Anything but a web address is dropped: scripts, data, files, and places in this page. */
function webAddress(address: string): string {
  return hostOf(address) === undefined ? '' : address
}

function hostOf(address: string | undefined): string | undefined {
  if (!address || !URL.canParse(address)) return undefined
  const { protocol, host } = new URL(address)
  return protocol === 'https:' || protocol === 'http:' ? host : undefined
}

const COMPONENTS: Components = {
  a: ({ href, children }) => <WebLink href={href}>{children}</WebLink>,
  img: ({ src, alt }) => <ImageLink src={typeof src === 'string' ? src : undefined} alt={alt} />,
  pre: ({ node }) => <CodeBlock node={node} />,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div role="group" aria-label="Table" tabIndex={0} className="table-frame thin-scroll">
      <table>{children}</table>
    </div>
  ),
  // Task lists: the box of a list that nobody can tick is a picture, not a field.
  input: ({ checked }) => (
    <span role="img" aria-label={checked ? 'Done' : 'To do'} className="me-2 text-accent">
      {checked ? '☑' : '☐'}
    </span>
  ),
}

function WebLink({ href, children }: { href: string | undefined; children: React.ReactNode }) {
  const host = hostOf(href)
  if (!host) return <span>{children}</span>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" title={host}>
      {children}
    </a>
  )
}

/** An image in a model's words would tell its server who reads them, so it is a link that a person may follow. */
function ImageLink({ src, alt }: { src: string | undefined; alt: string | undefined }) {
  const host = hostOf(src)
  return (
    <span className="inline-flex max-w-full items-center gap-1.5 rounded-chip border border-line px-2.5 text-14 text-ink-2">
      <ImageOff aria-hidden="true" className="size-4 shrink-0" strokeWidth={1.5} />
      {host ? <WebLink href={src}>{alt || `Image on ${host}`}</WebLink> : <span>{alt || 'Image'}</span>}
    </span>
  )
}

/** Headings moved so that the highest one follows the page's own. */
function headings(shift: number): Components {
  const moved = (level: number) => {
    const Tag = `h${Math.min(LAST_LEVEL, Math.max(FIRST_LEVEL, level + shift))}` as 'h2'
    return ({ children }: ComponentProps<'h2'> & ExtraProps) => <Tag>{children}</Tag>
  }
  return { h1: moved(1), h2: moved(2), h3: moved(3), h4: moved(4), h5: moved(5), h6: moved(6) }
}
