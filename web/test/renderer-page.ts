// The page of the renderer's test: draws the same trees with Preact and with the room's renderer, side by side, and compares.
import * as preact from 'preact'
import * as preactHooks from 'preact/hooks'
import { renderToString } from 'preact-render-to-string'
import * as ownHooks from '../src/renderer/hooks.ts'
import type { Child } from '../src/renderer/description.ts'
import * as own from '../src/renderer/preact.ts'

/** A tree as data: a text, nothing, a list, an element or a component, each with a key where it is in a list. */
export type Tree =
  | string
  | null
  | { list: readonly Tree[] }
  | { tag: string; key: string; props: Readonly<Record<string, string | number | boolean | null>>; kids: readonly Tree[] }
  | { counter: string; key: string; kids: readonly Tree[] }

interface Library {
  h: (type: unknown, props: object, key?: string) => Child
  Fragment: unknown
  useState: <T>(initial: T) => [T, (next: T) => void]
  useEffect: (run: () => (() => void) | void, deps?: readonly unknown[]) => void
  useContext: (context: never) => unknown
  createContext: (initial: string) => unknown
}

const libraries: Record<'theirs' | 'ours', Library> = {
  theirs: {
    h: (type, props, key) => preact.createElement(type as never, key === undefined ? props : { ...props, key }) as Child,
    Fragment: preact.Fragment,
    useState: preactHooks.useState,
    useEffect: preactHooks.useLayoutEffect,
    useContext: preactHooks.useContext as never,
    createContext: preact.createContext,
  },
  ours: { ...ownHooks, h: (type, props, key) => own.h(type as never, { ...props, key }), Fragment: own.Fragment },
}

/** What counts the counters named x up. */
type Ticks = Map<unknown, () => void>

/** A tree as the components of a library, with a log of the effects that began and ended. */
function drawn(library: Library, log: string[], ticks: Ticks) {
  const { h, Fragment, useState, useEffect, useContext } = library
  const depth = library.createContext('top') as { Provider: unknown }
  function Counter({ name, children }: { name: string; children: Child }) {
    const [count, setCount] = useState(0)
    const above = useContext(depth as never)
    useEffect(() => {
      log.push(`begin ${name} ${count}`)
      return () => void log.push(`end ${name} ${count}`)
    }, [name, count])
    if (name === 'x') ticks.set(setCount, () => setCount(count + 1))
    useEffect(() => () => void ticks.delete(setCount), [])
    return h(depth.Provider, { value: name, children: [h('b', { children: [name, ' ', count, ' in ', above] }), children] })
  }
  const make = (tree: Tree): Child => {
    if (tree === null || typeof tree === 'string') return tree
    if ('list' in tree) return h(Fragment, { children: tree.list.map(make) })
    if ('counter' in tree) return h(Counter, { name: tree.counter, children: tree.kids.map(make) }, tree.key)
    return h(tree.tag, { ...tree.props, children: tree.kids.map(make) }, tree.key)
  }
  return make
}

/** What stands in an element, without what nobody sees: empty and divided texts, and the empty id or class that Preact leaves. */
function plain(element: Element): Node {
  const copy = document.createElement('div')
  copy.append(...element.cloneNode(true).childNodes)
  copy.normalize()
  for (const name of ['id', 'class']) for (const each of copy.querySelectorAll(`[${name}=""]`)) each.removeAttribute(name)
  return copy
}

const settle = () => new Promise<void>((resolve) => setTimeout(resolve))

interface Side {
  root: HTMLElement
  log: string[]
  ticks: Ticks
  show: (tree: Tree) => void
}

function side(name: 'theirs' | 'ours', first: Tree): Side {
  const library = libraries[name]
  const root = document.createElement('div')
  document.body.append(root)
  const log: string[] = []
  const ticks: Ticks = new Map()
  const make = drawn(library, log, ticks)
  let show: (tree: Tree) => void = () => {}
  const App = () => {
    const [tree, setTree] = library.useState(first)
    show = setTree
    return library.h('main', { children: make(tree) })
  }
  if (name === 'ours') own.hydrate(own.h(App, null), root)
  else preact.render(preact.createElement(App as never, null), root)
  return { root, log, ticks, show: (tree) => show(tree) }
}

/** Shows the trees one after the other on both sides; a counter ticks between two. What differs, or null. */
async function compare(trees: readonly Tree[]): Promise<string | null> {
  const sides = [side('theirs', trees[0] ?? null), side('ours', trees[0] ?? null)] as const
  const [theirs, ours] = sides
  try {
    for (const [at, tree] of trees.entries()) {
      for (const each of sides) each.show(tree)
      await settle()
      for (const { ticks } of sides) for (const tick of ticks.values()) tick()
      await settle()
      if (!plain(theirs.root).isEqualNode(plain(ours.root))) return `${at}: ${theirs.root.innerHTML}\n${ours.root.innerHTML}`
      if (theirs.log.toSorted().join() !== ours.log.toSorted().join()) return `${at}: ${theirs.log.join()}\n${ours.log.join()}`
    }
    return null
  } finally {
    for (const each of sides) each.root.remove()
  }
}

/** Takes over what the server drew; every element of it must still stand there. */
function takeOver(tree: Tree): string | null {
  const make = drawn(libraries.theirs, [], new Map())
  const html = renderToString(preact.createElement((() => make(tree)) as never, null))
  const expected = new DOMParser().parseFromString(html, 'text/html').body
  const root = document.createElement('div')
  root.append(...expected.cloneNode(true).childNodes)
  document.body.append(root)
  const before = [...root.querySelectorAll('*')]
  own.hydrate(
    own.h(() => drawn(libraries.ours, [], new Map())(tree), {}),
    root,
  )
  const same = plain(root).childNodes.length === plain(expected).childNodes.length && root.innerHTML === expected.innerHTML
  const kept = before.every((element) => root.contains(element))
  const told = same && kept ? null : `kept ${kept}: ${html}\n${root.innerHTML}`
  root.remove()
  return told
}

Object.assign(globalThis, { compare, takeOver, own, ownHooks })
