import 'fake-indexeddb/auto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

const EDITS = 1_000
const CHATS = ['one', 'two']

type Tab = Awaited<ReturnType<typeof openTab>>

async function openTab() {
  vi.resetModules()
  return {
    ...(await import('@/lib/browser/storage/answers')),
    ...(await import('@/lib/browser/storage/branches')),
    ...(await import('@/lib/browser/storage/chats')),
    ...(await import('@/lib/browser/storage/database')),
    ...(await import('@/lib/browser/storage/spending')),
  }
}

let tabs: [Tab, Tab]
beforeAll(async () => {
  tabs = [await openTab(), await openTab()]
  expect(tabs[0].db).not.toBe(tabs[1].db)
  for (const table of tabs[0].db.tables) await table.clear()
})
afterAll(() => vi.resetModules())

type Edit = { tab: 0 | 1; chat: number; kind: 'add' | 'show' | 'settings' | 'tags' | 'pay' | 'rename'; pick: number }

const edits = fc.array(
  fc.record<Edit>({
    tab: fc.constantFrom(0, 1),
    chat: fc.nat({ max: CHATS.length - 1 }),
    kind: fc.constantFrom('add', 'add', 'show', 'settings', 'tags', 'pay', 'rename'),
    pick: fc.nat({ max: 1_000 }),
  }),
  { minLength: EDITS, maxLength: EDITS },
)

test('two tabs that edit the same chats at once lose nothing of each other', async () => {
  const [first] = tabs
  for (const id of CHATS) await addQuestion(first, id, `${id}-root`, '')
  const [plan = []] = fc.sample(edits, { numRuns: 1, seed: 6 })
  const added = new Map(CHATS.map((id) => [id, [`${id}-root`]]))
  let paid = 0n
  const pending = plan.map(({ tab, chat, kind, pick }, at) => {
    const here = tabs[tab]
    const id = CHATS[chat] ?? ''
    const known = added.get(id) ?? []
    const parentId = known[pick % known.length] ?? ''
    const make: Record<Edit['kind'], () => Promise<unknown>> = {
      add: () => {
        known.push(`${id}-${at}`)
        // A parent may still be on its way in the other tab: the tree does not mind.
        return addQuestion(here, id, `${id}-${at}`, parentId)
      },
      show: () => here.showBranch(id, `shown-${at}`, parentId),
      settings: () => here.changeConversation(id, { settings: { temperature: at } }),
      tags: () => here.changeConversation(id, { tags: [String(at)] }),
      rename: () => here.renameConversation(id, String(at)),
      pay: () => {
        paid += BigInt(pick)
        return pay(here, id, `r-${at}`, BigInt(pick))
      },
    }
    return make[kind]()
  })
  await Promise.all(pending)

  const fresh = (await openTab()).db
  for (const id of CHATS) {
    const chat = (await fresh.conversations.get(id))!
    const messages = await fresh.messages.where({ conversationId: id }).toArray()
    expect(messages.map((message) => message.id).sort()).toEqual([...(added.get(id) ?? [])].sort())
    expect(await fresh.parts.where({ conversationId: id }).count()).toBe(messages.length)
    for (const [at, { kind, chat: of, pick }] of plan.entries()) {
      if (CHATS[of] !== id || kind !== 'show') continue
      expect(chat.branches[`shown-${at}`], `edit ${at}, pick ${pick}`).toBeDefined()
    }
    // Each parent that got a child shows one of its children.
    for (const { parentId } of messages) {
      expect(messages.find((message) => message.id === chat.branches[parentId])?.parentId).toBe(parentId)
    }
    expect(chat.settings).toBeDefined()
    expect(chat.tags).toHaveLength(1)
    expect(chat.isNamed).toBe(true)
  }
  const receipts = await fresh.receipts.toArray()
  expect(receipts.reduce((sum, { cost = 0n }) => sum + cost, 0n)).toBe(paid)
  const days = await fresh.spending.toArray()
  expect(days.reduce((sum, { spent }) => sum + spent, 0n)).toBe(paid)
})

function addQuestion(tab: Tab, conversationId: string, id: string, parentId: string): Promise<void> {
  const message = { id, conversationId, parentId, role: 'user', status: 'done', createdAt: 1 } as const
  return tab.addMessages({ id: conversationId, title: 't', modelId: 'm' }, [{ message, text: id }])
}

async function pay(tab: Tab, conversationId: string, id: string, cost: bigint): Promise<void> {
  const tokens = { input: 1, output: 1, cached: 0, reasoning: 0 }
  const receipt = { id, conversationId, messageId: 'x', model: 'm', tokens, cost, durationMs: 1, at: 1 }
  const key = { id: 'x', conversationId }
  // Both tabs learn the price: it is paid once.
  await Promise.all(tabs.map((other) => other.priceRequest(key, id, receipt as never)))
  expect(tab.db.isOpen()).toBe(true)
}
