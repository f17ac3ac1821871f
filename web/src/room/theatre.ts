// How the theatre looks, for whatever leads to it.
import { wear } from './later.tsx'
import style from './theatre.css?inline'

wear(style)
