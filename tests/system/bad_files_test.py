"""Files that are wrong: one clear finding per mistake with file and line, exit 3, nothing started."""
import os
import subprocess
import sys

import harness
import run_config
import tap

TEMPLATES = os.path.join(harness.ROOT, "templates/fast/demo/demo.xml")
OWN_TEMPLATES = f'description="{run_config.DEMO_DESCRIPTION}" templates="templates.xml"'


class BadFiles(harness.SystemTest):
    def expect_findings(self, configuration, *expected):
        program = self.run_to_end("run", self.write("run.xml", configuration)).expect_exit(3)
        for words in expected:
            self.assertIn(words, program.talk)
        self.assertEqual(program.out, "", "a report of nothing")

    def test_a_configuration_that_is_not_there(self):
        program = self.run_to_end("run", self.path("none.xml")).expect_exit(3)
        self.assertIn("none.xml: cannot be read: No such file", program.talk)

    def test_broken_xml(self):
        self.expect_findings(run_config.text("null").replace("</tickpath>", ""), "run.xml:", "not well-formed XML")

    def test_every_mistake_of_form_at_once(self):
        self.expect_findings(run_config.text("null", port_attributes='qeueu_count="2"', layout="round"),
                             "run.xml:2: unknown attribute qeueu_count of <port>, did you mean queue_count?",
                             'run.xml:5: layout="round": expected one of inline, split')

    def test_every_file_that_is_not_there_at_once(self):
        self.expect_findings(run_config.text("pcap:none.pcap", instruments="none.csv", feed='description="none.xml"'),
                             "none.pcap is not a file", "none.xml", "none.csv")

    def test_everything_that_is_wrong_at_once_and_nothing_made(self):
        """One mistake of every kind that is told by another part of the program."""
        self.write("instruments.csv", "key,symbol,price_places,quantity_places\n1001,A,two,0\n1002,B,2,0\n")
        self.write("templates.xml", harness.read(TEMPLATES).replace("<decimal", "<decimel", 1))
        self.write("order.xml", "<order-template>\n<field tag='11' slot='id'/>\n</order-template>")
        self.write("run.xml", f"""<tickpath>
<port name="feed" device="af_packet:nope0" pace="fast"/>
<port name="wide" device="null" queue_count="32"/>
<feed {OWN_TEMPLATES} port="fed"/>
<feed preset="moex-asts" templates="none.xml" port="feed"/>
<instruments file="instruments.csv"/>
<workers layout="round"/>
<trade order_template="order.xml">
<strategy name="hit-qoute"/>
<risk order_quantity_max="0.5"/>
<session sender="A" target="B" port="9" store="store" reconnect_ms_first="2" reconnect_ms_max="1"/>
</trade>
<report counters="counters.bin"/>
</tickpath>
""")
        program = self.run_to_end("run", self.path("run.xml")).expect_exit(3)
        for words in ("run.xml:2: pace: ", "run.xml:2: port feed: interface nope0 does not exist",
                      'run.xml:3: queue_count="32": expected a number from 1 to 16',
                      'run.xml:4: there is no port "fed"', "templates.xml:17: ", "none.xml is not a file",
                      "instruments.csv:2: price_places", 'run.xml:7: layout="round"', "order.xml:2: ",
                      'run.xml:9: there is no strategy "hit-qoute"', "run.xml:10: order_quantity_max 0.5",
                      "run.xml:11: reconnect_ms_first"):
            self.assertEqual(program.talk.count(words), 1, f"{words!r}: {program}")
        self.assertEqual(sorted(name for name in os.listdir(self.folder) if not name.startswith("tickpath.")),
                         ["instruments.csv", "order.xml", "run.xml", "templates.xml"], "something was made")

    def test_strategy_settings_and_risk_limits_with_their_lines(self):
        self.write_feed(packets=20)
        trade = run_config.trade(9, strategy='name="hit-quote" sell_at="0.00001"', risk='notional_max="0.0000001"')
        text = run_config.text("pcap:feed.pcap", trade=trade)
        line = text[:text.index("<strategy")].count("\n") + 1
        self.expect_findings(text, f"run.xml:{line}: strategy hit-quote: sell_at", f"run.xml:{line + 1}: notional_max")
        self.assertFalse(os.path.exists(self.path("store")), "a store was made for a run that could not start")

    def test_a_strategy_that_this_program_does_not_have(self):
        self.write_feed(packets=20)
        trade = run_config.trade(9, order_link="shadow", strategy='name="hit-qoute"')
        self.expect_findings(run_config.text("pcap:feed.pcap", trade=trade), 'there is no strategy "hit-qoute"',
                             'did you mean "hit-quote"?')

    def test_strategy_settings_that_are_wrong(self):
        self.write_feed(packets=20)
        strategy = 'name="hit-quote"\n  sell_at="dear"\n  bye_at="1"'
        text = run_config.text("pcap:feed.pcap", trade=run_config.trade(9, order_link="shadow", strategy=strategy))
        line = text[:text.index("sell_at")].count("\n") + 1
        self.expect_findings(text, f"run.xml:{line}: ", f"run.xml:{line + 1}: ", "bye_at", "buy_at")

    def test_a_broken_template_file(self):
        self.write_feed(packets=20)
        good = harness.read(TEMPLATES)
        self.assertIn("<decimal", good)
        self.write("templates.xml", good.replace("<decimal", "<decimel", 1))
        line = good[:good.index("<decimal")].count("\n") + 1
        self.expect_findings(run_config.text("pcap:feed.pcap", feed=OWN_TEMPLATES), f"templates.xml:{line}")

    def test_templates_that_lack_what_the_feed_names(self):
        self.write_feed(packets=20)
        self.write("templates.xml", harness.read(TEMPLATES).replace('"MDPriceLevel"', '"MDPriceLvl"'))
        self.expect_findings(run_config.text("pcap:feed.pcap", feed=OWN_TEMPLATES), "demo.xml:", "MDPriceLevel")

    def test_a_broken_instrument_file(self):
        self.write_feed(packets=20)
        self.write("bad.csv", "key,symbol,price_places,quantity_places\n1001,A,two,0\n1001,A,2,0,0,0\n")
        self.expect_findings(run_config.text("pcap:feed.pcap", instruments="bad.csv"), "bad.csv:2", "bad.csv:3")

    def test_a_capture_that_is_no_capture(self):
        self.write_feed(packets=20)
        self.write("noise.pcap", "this is no capture at all, only some words")
        program = self.run_to_end("run", self.write("run.xml", run_config.text("pcap:noise.pcap"))).expect_exit(4)
        self.assertIn("noise.pcap", program.talk)


class CommandLine(harness.SystemTest):
    def test_wrong_words_are_usage_errors(self):
        for words in ([], ["rnu"], ["run"], ["run", "a", "b"], ["run", "a", "--nonsense"], ["run", "a", "--seconds", "-1"]):
            program = self.run_to_end(*words).expect_exit(2)
            self.assertRegex(program.talk, r"\Atickpath: [^\n]*\n\Z")
            self.assertEqual(program.out, "")

    def test_every_command_shows_help_with_an_example(self):
        table = self.run_to_end("--help").expect_exit(0).out.partition("Subcommands:")[2]
        commands = [line.split()[0] for line in table.splitlines() if line.startswith("  ") and line[2] != " "]
        self.assertIn("run", commands)
        self.assertIn("version", commands)
        for command in commands:
            program = self.run_to_end(command, "--help").expect_exit(0)
            example = program.out.partition("Example:\n  tickpath ")[2].split()
            self.assertEqual(example[:1], [command])
            for word in example:
                if word.startswith("templates/"):
                    self.assertTrue(os.path.exists(os.path.join(harness.ROOT, word)), word)

    def test_the_examples_that_read_the_demos_files_work(self):
        """As a person runs them after scripts/demo, whose capture carries two feeds."""
        demo = self.path("demo")
        subprocess.run([sys.executable, harness.FEED_WRITER, demo, "--packets", "600", "--lure-from", "100", "--nse", "200"], check=True,
                       timeout=harness.PATIENCE_S, stdout=subprocess.DEVNULL)
        table = self.run_to_end("--help").expect_exit(0).out.partition("Subcommands:")[2]
        found = []
        for command in [line.split()[0] for line in table.splitlines() if line.startswith("  ") and line[2] != " "]:
            example = self.run_to_end(command, "--help").expect_exit(0).out.partition("Example:\n  tickpath ")[2].split()
            if not any(word.startswith("build/demo/") for word in example):
                continue
            words = [word.replace("build/demo/", demo + "/") if word.startswith("build/demo/") else
                     os.path.join(harness.ROOT, word) if "/" in word else word for word in example]
            program = self.run_to_end(*words, name=command).expect_exit(0)
            self.assertGreater(len(program.out.splitlines()), 5, program)
            found.append(command)
        self.assertEqual(found, ["decode", "doctor", "latency"])

    def test_the_examples_of_templates_work(self):
        for command in ("list", "show", "lint"):
            out = self.run_to_end("templates", command, "--help").expect_exit(0).out
            example = out.partition("Example:\n  tickpath ")[2].split()
            self.assertEqual(example[:2], ["templates", command], out)
            words = [os.path.join(harness.ROOT, word) if "/" in word else word for word in example]
            self.run_to_end(*words).expect_exit(0)


tap.main()
