"""The words that the sentences of a benchmark are made of."""

NOUNS = """
account address agent alarm anchor answer archive array backup balance bank batch beacon bill
boat body bolt book border bottle branch bridge browser bucket budget buffer bug build bundle
button cabin cable cache calendar call camera canvas captain card cargo cart case catalog cell
chain channel chart check checksum child circuit class client clock cloud cluster code collar
column commit compass component config connection contract cookie counter coupon course crane
crash credit crew cron currency cursor customer dashboard database deadline deck default
delivery deploy desk device diff disk dock document domain door draft driver duplicate edge
editor email endpoint engine entry error estimate event exception export failure fare feature
feed fence ferry field file filter firewall fixture flag flow folder font form format frame
function gate gateway graph grid group guide hammer handle handler harbour hash header heap
history hook hotel image import index input install instance invoice island issue item job
journey journal kernel key keyboard kiosk label ladder lamp language latency layout leak ledger
letter library license limit line link list loader lock log logger login loop machine mail
manifest map margin mast matrix memory menu merge message meter method metric migration mirror
mobile model module monitor mutex name network node note notice number object offset option
order output owner package page panel parser partner passenger password patch path payment
permission phone pier pipeline pixel plan platform plugin pointer policy pool port price printer
process product profile project prompt proof property protocol proxy queue quota radar range
rate receipt record recipe refund region registry release replica report request reservation
resource response retry review role rollback roof root route router row rule runner sailing
sample sandbox scan schedule schema scope screen script search season seat secret segment
sensor server service session setting shard shell ship shop signal site sketch slot snapshot
socket source stack staff stage state station status step storage store stream string suite
summary switch symbol table tag target task tax team template tenant terminal test theme thread
ticket tide timeout timer timezone title token tool topic total tower trace track traffic
transaction transfer tree trigger tunnel type unit update upload user validator value variable
vector vendor version vessel view volume voucher waiter wallet warehouse warning watch wave
weather webhook weight wheel widget window winter wire worker workflow wrapper zone
""".split()  # noqa: SIM905

VERBS = """
accepts adds allows announces asks blocks books breaks builds cancels catches changes checks
claims clears closes compares computes confirms converts copies counts covers creates cuts
delays deletes delivers denies detects drops empties expires exports fails fetches fills finds
fixes flushes frees groups hides holds ignores imports keeps leaves limits loads locks logs
loses maps marks measures merges misses moves names needs opens orders overwrites owns pays
pins posts prints publishes pulls pushes raises reads rebuilds records refuses releases
renames renders replaces reports resets resolves restarts retries returns reverts rounds runs
saves scans sells sends shows skips sorts splits starts stops stores swaps syncs takes tests
times traces tracks trims unlocks updates uses validates waits wakes warns watches wraps writes
""".split()  # noqa: SIM905

ENDS = (
    """
Today|Since the last release|As far as I can see|In production|On the second try|Sadly|Once more
After the restart|With the new flag|In the log|By mistake|On Mondays|For some reason|At night
Under load|Without a warning|In the tests|On my machine|For the third time|Before lunch
""".replace("\n", "|")
    .strip("|")
    .split("|")
)

OPENINGS = (
    """
Why is it that|When was it that|Who said that|Do you remember whether|Where did we see that
What did we do after|How did we find out that|Is it still so that
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
