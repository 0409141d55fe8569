import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import Link from 'next/link'
import { type ComponentProps, Fragment, type ReactNode } from 'react'
import { CodeFrame, Samples } from '@/components/docs/code-frame'
import { decodeEntities } from '@/components/markdown/entities'
import { headingId, isSampleLanguage } from '@/lib/contract/docs'
import { t } from '@/lib/i18n/t'

export function InlineText({ text }: { text: string }) {
  return <InlineTokens tokens={Lexer.lexInline(text)} />
}

function InlineTokens({ tokens }: { tokens: Token[] | undefined }) {
  return (tokens as MarkedToken[] | undefined)?.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the words of a text keep their order.
    <Fragment key={at}>{inlineOf(token)}</Fragment>
  ))
}

function inlineOf(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'text':
      return token.tokens ? <InlineTokens tokens={token.tokens} /> : decodeEntities(token.text)
    case 'escape':
      return token.text
    case 'strong':
      return (
        <strong>
          <InlineTokens tokens={token.tokens} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <InlineTokens tokens={token.tokens} />
        </em>
      )
    case 'codespan':
      return <code>{token.text}</code>
    case 'link':
      return (
        <DocLink href={token.href}>
          <InlineTokens tokens={token.tokens} />
        </DocLink>
      )
    default:
      return token.raw
  }
}

type DocLinkProps = Omit<ComponentProps<'a'>, 'href'> & { href: string }

/** Files of the interface description are fetched whole; Next serves the rest as pages. */
const isPage = (href: string): boolean => href.startsWith('/') && !/^\/(?:doc\/|llms\.txt)/.test(href)

export function DocLink({ href, ...props }: DocLinkProps) {
  if (isPage(href)) return <Link href={href} prefetch={false} {...props} />
  if (href.startsWith('#') || href.startsWith('/')) return <a href={href} {...props} />
  return <a href={href} target="_blank" rel="noopener noreferrer" {...props} />
}

type DocHeadingProps = { level: 2 | 3; id: string; children: ReactNode }

function DocHeading({ level, id, children }: DocHeadingProps) {
  const Tag = level === 2 ? 'h2' : 'h3'
  return (
    <Tag id={id} className="group/heading scroll-mt-6">
      {children}
      <a href={`#${id}`} aria-label={t('Link to this section')} className="docs-anchor">
        #
      </a>
    </Tag>
  )
}

type DocSectionProps = { level?: 2 | 3; id: string; title: string; children: ReactNode }

export function DocSection({ level = 2, id, title, children }: DocSectionProps) {
  return (
    <section aria-labelledby={id}>
      <DocHeading level={level} id={id}>
        {title}
      </DocHeading>
      {children}
    </section>
  )
}

/** Renders a guide's Markdown. Code fences that follow each other are one program in several languages. */
export function Prose({ tokens }: { tokens: readonly MarkedToken[] }) {
  return (
    <div className="prose docs-prose">
      {grouped(tokens).map((group, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text keeps its order.
        <Fragment key={at}>
          {group.length > 1 ? <FenceGroup fences={group as Tokens.Code[]} /> : blockOf(group[0])}
        </Fragment>
      ))}
    </div>
  )
}

function grouped(tokens: readonly MarkedToken[]): MarkedToken[][] {
  const groups: MarkedToken[][] = []
  for (const token of tokens) {
    if (token.type === 'space') continue
    const last = groups.at(-1)
    if (last && isSample(token) && last.every((one) => isSample(one) && one.lang !== token.lang)) last.push(token)
    else groups.push([token])
  }
  return groups
}

const isSample = (token: MarkedToken): token is Tokens.Code => token.type === 'code' && isSampleLanguage(token.lang)

function FenceGroup({ fences }: { fences: Tokens.Code[] }) {
  const samples = fences.flatMap(({ lang, text }) => (isSampleLanguage(lang) ? [{ language: lang, code: text }] : []))
  return <Samples samples={samples} />
}

function blockOf(token: MarkedToken | undefined): ReactNode {
  switch (token?.type) {
    case 'paragraph':
      return (
        <p>
          <InlineTokens tokens={token.tokens} />
        </p>
      )
    case 'text':
      return <InlineTokens tokens={token.tokens ?? [token]} />
    case 'heading':
      return (
        <DocHeading level={token.depth === 2 ? 2 : 3} id={headingId(token)}>
          <InlineTokens tokens={token.tokens} />
        </DocHeading>
      )
    case 'code':
      return <CodeFrame code={token.text} language={token.lang} />
    case 'list':
      return <List list={token} />
    case 'table':
      return <Table table={token} />
    case 'blockquote':
      return <blockquote>{token.tokens.map((inner) => blockOf(inner as MarkedToken))}</blockquote>
    default:
      return null
  }
}

function List({ list: { ordered, items } }: { list: Tokens.List }) {
  const Tag = ordered ? 'ol' : 'ul'
  return (
    <Tag>
      {items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a list keeps its order.
        <li key={at}>
          {item.tokens.map((token, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: what a text says keeps its order
            <Fragment key={place}>{blockOf(token as MarkedToken)}</Fragment>
          ))}
        </li>
      ))}
    </Tag>
  )
}

function Table({ table: { header, rows } }: { table: Tokens.Table }) {
  const label = header.map(({ text }) => text).join(', ')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div role="group" aria-label={label} tabIndex={0} className="table-frame thin-scroll">
      <table>
        <thead>
          <tr>
            {header.map((cell, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a table keeps its order.
              <th key={at} scope="col">
                <InlineTokens tokens={cell.tokens} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a table keeps its order
            <tr key={row}>
              {cells.map((cell, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a row keeps its order
                <td key={at}>
                  <InlineTokens tokens={cell.tokens} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
